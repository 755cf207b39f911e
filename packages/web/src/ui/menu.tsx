import * as Dropdown from '@radix-ui/react-dropdown-menu'
import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export interface MenuItem {
  readonly label: string
  readonly hint?: string
  readonly icon?: IconName
  readonly danger?: boolean
  readonly chosen?: boolean
  readonly run: () => void
}

/** A menu under `trigger`. Not modal: the modal kind injects a style sheet that the page's policy refuses. */
export function Menu({ trigger, label, items }: { trigger: ReactNode; label: string; items: readonly MenuItem[] }) {
  const [open, setOpen] = useState(false)
  return (
    <Dropdown.Root modal={false} open={open} onOpenChange={setOpen}>
      <Dropdown.Trigger asChild>{trigger}</Dropdown.Trigger>
      {/* Inside the page's main element, so that a screen reader finds the menu there. */}
      <Dropdown.Portal container={document.getElementById('main')}>
        <Dropdown.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          className="floats-in z-50 max-h-[60vh] min-w-[180px] overflow-y-auto rounded-m border border-line bg-raised p-1 shadow-float"
        >
          {items.map((item) => (
            <Dropdown.Item
              key={item.label}
              onSelect={item.run}
              className={classNames(
                'flex min-h-8 max-wide:min-h-10 cursor-default items-center gap-2.5 rounded-s px-2.5 py-1 outline-none data-[highlighted]:bg-sunken',
                item.danger && 'text-bad',
              )}
            >
              {item.icon ? <Icon name={item.icon} size={14} /> : null}
              <span className="min-w-0 flex-1">
                <span className="block">{item.label}</span>
                {item.hint ? <span className="block max-w-[260px] text-xs text-muted">{item.hint}</span> : null}
              </span>
              {item.chosen ? (
                <>
                  <Icon name="check" size={14} />
                  <span className="sr-only">(now)</span>
                </>
              ) : null}
            </Dropdown.Item>
          ))}
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  )
}
