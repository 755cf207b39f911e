import { ApiError } from '@clawboo/api/client'
import { useCheckAccess } from '../../api/access.ts'
import { Button } from '../../ui/button.tsx'
import { NewLinkHelp, SignInFrame } from './sign-in-frame.tsx'

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
