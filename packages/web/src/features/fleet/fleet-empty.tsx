import { Link } from '@tanstack/react-router'
import { MASCOT_SEED } from '../../ui/boo/mascot.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Code } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/page-states.tsx'

export function FleetEmpty() {
  return (
    <EmptyState title="No Boos yet" seed={MASCOT_SEED}>
      <p>A Boo is an AI agent with a name, a face and files that say who it is and what it remembers.</p>
      <Link to="/new" className={buttonClass('primary')}>
        Create your first Boo
      </Link>
      <p className="text-sm">
        Or in a terminal: <Code>npx clawboo agents create Ada</Code>
      </p>
    </EmptyState>
  )
}

export function FleetNoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState title="No Boos match">
      <p>No Boo has this name, role or state.</p>
      <Button onClick={onClear}>Show everyone</Button>
    </EmptyState>
  )
}
