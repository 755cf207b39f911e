import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/page-header.tsx'
import { SHORTCUTS } from './use-global-keys.ts'

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="flex flex-col">
        {SHORTCUTS.map(([keys, does]) => (
          <div key={keys} className="flex items-center justify-between gap-4 border-b border-line py-1.5 last:border-0">
            <dt>{does}</dt>
            <dd>
              <Kbd>{keys}</Kbd>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-sm text-muted">Single keys can be switched off in Settings.</p>
    </Dialog>
  )
}
