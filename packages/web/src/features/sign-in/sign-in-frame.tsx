import type { ReactNode } from 'react'
import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import type { BooEyes } from '../../ui/boo/boo-shape.ts'
import { MASCOT_SEED } from '../../ui/boo/mascot.ts'
import { Code } from '../../ui/page-header.tsx'

/** The frame of all sign-in pages. */
export function SignInFrame({ title, eyes, children }: { title: string; eyes: BooEyes; children: ReactNode }) {
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

export function NewLinkHelp() {
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
