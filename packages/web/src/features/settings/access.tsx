import { useState } from 'react'
import { useRotateToken, useSignInLink, useSignOut } from '../../api/access.ts'
import { ConfirmDialog } from '../../shared/confirm-dialog.tsx'
import { Problem } from '../../shared/problem.tsx'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { usePageActions } from '../../ui/page-actions.ts'
import { Code } from '../../ui/page-header.tsx'
import { fieldClass } from '../../ui/text-field.tsx'
import { clockWords } from '../../ui/words/time-words.ts'

export function Access() {
  const [rotating, setRotating] = useState(false)
  const link = useSignInLink()
  const signOut = useSignOut()
  usePageActions([
    { id: 'make-link', title: 'Create a sign-in link', place: 'Access', icon: 'copy', run: () => link.mutate() },
    { id: 'rotate', title: 'Replace the operator token', place: 'Access', icon: 'move', run: () => setRotating(true) },
  ])
  return (
    <>
      <Row about="Signs in one other browser, once. Anyone who has it can use it.">
        <Button onClick={() => link.mutate()} disabled={link.isPending}>
          {link.isPending ? 'Creating' : 'Create a sign-in link'}
        </Button>
      </Row>
      {link.data ? <LinkField url={link.data.url} expiresAt={link.data.expiresAt} /> : null}
      <Row about="Signs out every browser, including this one, and disconnects programs that use the token.">
        <Button kind="danger" onClick={() => setRotating(true)}>
          Replace the operator token
        </Button>
      </Row>
      <Row about="Only this browser.">
        <Button onClick={() => signOut.mutate()} disabled={signOut.isPending}>
          Sign out
        </Button>
      </Row>
      <Problem error={link.error} action="create a sign-in link" />
      <Problem error={signOut.error} action="sign out" />
      {rotating ? <RotateDialog onClose={() => setRotating(false)} /> : null}
    </>
  )
}

function Row({ about, children }: { about: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-1.5 wide:flex-row wide:items-center wide:gap-4">
      <div className="wide:w-[210px] wide:shrink-0">{children}</div>
      <p className="text-sm text-muted">{about}</p>
    </div>
  )
}

function LinkField({ url, expiresAt }: { url: string; expiresAt: number }) {
  const copy = () =>
    copyText(url).then(
      () => announce('Copied the sign-in link'),
      () => announce('The browser does not allow copying here. Select the link and copy it.', 'bad'),
    )
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex gap-2">
        <input
          readOnly
          aria-label="Sign-in link"
          value={url}
          onFocus={(event) => event.target.select()}
          className={`${fieldClass} h-[30px] font-mono text-sm`}
        />
        <Button icon="copy" onClick={() => void copy()}>
          Copy
        </Button>
      </div>
      <p className="text-sm text-muted">{`Works once, until ${clockWords(expiresAt, Date.now())}.`}</p>
    </div>
  )
}

function RotateDialog({ onClose }: { onClose: () => void }) {
  return (
    <ConfirmDialog
      title="Replace the operator token?"
      change={useRotateToken()}
      action="replace the token"
      confirm={['Replace it', 'Replacing']}
      keep="Keep the old one"
      onClose={onClose}
      onDone={onClose}
    >
      <p>
        Every browser is signed out, including this one. Programs that use the old token are refused. The new token is
        only in the file <Code>token</Code> in the home. Boos, teams and files are not touched.
      </p>
      <p>
        To come back, run <Code>npx clawboo token link</Code> on the machine that runs Clawboo.
      </p>
    </ConfirmDialog>
  )
}
