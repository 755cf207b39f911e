import { ApiError } from '@clawboo/api/client'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSignIn } from '../../api/access.ts'
import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import { MASCOT_SEED } from '../../ui/boo/mascot.ts'
import { Button } from '../../ui/button.tsx'
import { takeSignInCode } from './sign-in-code.ts'
import { NewLinkHelp, SignInFrame } from './sign-in-frame.tsx'

/** Exchanges the code of a sign-in link for this browser's cookie. */
export function SignInPage() {
  const { error, retry, code } = useCodeSignIn()
  if (code === null) {
    return (
      <SignInFrame title="Sign in" eyes="idle">
        <p>Open the sign-in link that the server printed. Then you are signed in.</p>
        <NewLinkHelp />
      </SignInFrame>
    )
  }
  if (!error) {
    return (
      <main className="grid h-full place-items-center bg-bg">
        <title>Signing in · Clawboo</title>
        <p role="status" className="flex items-center gap-3 text-muted">
          <BooAvatar seed={MASCOT_SEED} eyes="working" size={32} />
          Signing in
        </p>
      </main>
    )
  }
  const silent = error instanceof ApiError && error.code === 'network'
  const limited = error instanceof ApiError && error.code === 'rate_limited'
  return (
    <SignInFrame title={silent ? "The server isn't responding" : 'This link did not work'} eyes="bad">
      <p role="alert">
        {silent
          ? 'The link still works. Try again when the server is running.'
          : limited
            ? 'Too many tries. Wait a minute, then open a new link.'
            : 'It is used up, too old or incomplete. A link works once.'}
      </p>
      {silent ? <Button onClick={retry}>Try again</Button> : <NewLinkHelp />}
    </SignInFrame>
  )
}

function useCodeSignIn() {
  const navigate = useNavigate()
  const { mutate, error } = useSignIn()
  const taken = useRef<string | null | undefined>(undefined)
  // Read in the first render only: a second render, as in development, must not lose the code.
  if (taken.current === undefined) taken.current = takeSignInCode()
  const [code] = useState(taken.current)
  const send = useCallback(() => {
    if (code !== null) mutate(code, { onSuccess: () => void navigate({ to: '/', replace: true }) })
  }, [code, mutate, navigate])
  const sent = useRef(false)
  useEffect(() => {
    if (sent.current) return
    sent.current = true
    send()
  }, [send])
  return { code, error, retry: send }
}
