import { ApiError } from '@clawboo/api/client'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useCheckAccess, useSignIn } from '../../api/access.ts'
import { BooAvatar, MASCOT_SEED } from '../../ui/boo/boo-avatar.tsx'
import type { BooEyes } from '../../ui/boo/boo-shape.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/page-header.tsx'

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

function SignInFrame({ title, eyes, children }: { title: string; eyes: BooEyes; children: ReactNode }) {
  return (
    <main className="grid h-full min-h-dvh place-items-center bg-bg p-5">
      <title>{`${title} · Clawboo`}</title>
      <div className="flex w-full max-w-[440px] flex-col items-start gap-4 rounded-l border border-line bg-surface p-8 shadow-float">
        <BooAvatar seed={MASCOT_SEED} eyes={eyes} size={56} />
        <h1 className="text-xl font-[620] tracking-[-0.01em]">{title}</h1>
        {children}
      </div>
    </main>
  )
}

function NewLinkHelp() {
  return (
    <div className="flex flex-col gap-2 text-muted">
      <p>To get a new link, run this on the computer that runs Clawboo:</p>
      <ul className="flex flex-col gap-1.5">
        <li>
          <Code>npx clawboo token link</Code> prints one while the server runs
        </li>
        <li>
          <Code>npm start</Code> prints one when it starts
        </li>
      </ul>
    </div>
  )
}

/** Covers any page once the server refuses this browser. */
export function SignedOutPage() {
  const check = useCheckAccess()
  const silent = check.error instanceof ApiError && check.error.code === 'network'
  return (
    <SignInFrame title="Signed out" eyes="stopped">
      <p>Open your sign-in link to continue. Nothing was lost.</p>
      <NewLinkHelp />
      <div className="flex items-center gap-3">
        <Button onClick={() => check.mutate()} disabled={check.isPending}>
          {check.isPending ? 'Checking' : 'Check again'}
        </Button>
        <span role="status" className="text-sm text-muted">
          {check.isError ? (silent ? "The server isn't responding." : 'Still signed out.') : ''}
        </span>
      </div>
    </SignInFrame>
  )
}

let held: string | null = null

/** Keeps the code of a sign-in link until it is used; the address loses it at once. */
export function holdSignInCode(code: string): void {
  held = code
}

/** Returns the code once: a code works once, so a second attempt can only fail. */
function takeSignInCode(): string | null {
  const code = held
  held = null
  return code
}
