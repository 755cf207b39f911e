import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { focusFirstIn, focusHeading, isFocusLost, placesNear } from './keyboard/focus-place.ts'

/** A modal based on the browser's own dialog. Focus stays inside until it closes, then returns. */
export function Dialog(props: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly wide?: boolean
}) {
  const { title, onClose, children, wide = false } = props
  const titleId = useId()
  return (
    <ModalFrame
      labelledBy={titleId}
      onClose={onClose}
      className={classNames(
        'm-auto w-[calc(100vw-24px)] rounded-l border border-line bg-raised p-5 shadow-float',
        wide ? 'max-w-[640px]' : 'max-w-[460px]',
      )}
    >
      <div className="mb-3 flex items-start justify-between gap-4">
        <h2 id={titleId} className="text-lg font-[620]">
          {title}
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} className="-mt-1 -mr-1.5" />
      </div>
      {children}
    </ModalFrame>
  )
}

/** The bare modal, for content with its own look. */
export function ModalFrame(props: {
  readonly label?: string
  readonly labelledBy?: string
  readonly onClose: () => void
  readonly className?: string
  readonly children: ReactNode
}) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    // A modal inside a hidden element would make the whole page inert and show nothing.
    if (!dialog || dialog.closest('[hidden]')) return
    const before = document.activeElement
    const nearby = placesNear(before)
    dialog.showModal()
    dialog.querySelector<HTMLElement>('input, textarea')?.focus()
    return () => {
      dialog.close()
      // The dialog is already out of the document when React unmounts it, so the browser does not return the focus. An
      // element opened from here may already have it.
      if (!isFocusLost()) return
      if (before instanceof HTMLElement && before.isConnected) before.focus()
      // An action in the dialog may have removed the element that opened it.
      if (isFocusLost() && !nearby.some(focusFirstIn)) focusHeading()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is on the backdrop; the keyboard uses Escape
    <dialog
      ref={ref}
      aria-label={props.label}
      aria-labelledby={props.labelledBy}
      className={classNames('floats-in text-text', props.className)}
      onClick={(event) => {
        if (event.target === event.currentTarget) props.onClose()
      }}
      onCancel={(event) => {
        event.preventDefault()
        props.onClose()
      }}
    >
      {props.children}
    </dialog>
  )
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>
}
