import { useCallback, useRef } from 'react'
import { useMedia } from '../../../ui/state/use-media.ts'
import { useModule } from '../../../ui/state/use-module.ts'
import { ShadowHost } from './editor-host.tsx'
import type { ComparedTexts } from './mount-comparison.ts'

/** Compares two texts: side by side, or in one column on a narrow page. */
export function Comparison(props: ComparedTexts) {
  const { loaded } = useModule(() => import('./mount-comparison.ts'))
  if (loaded === 'loading') {
    return (
      <p role="status" className="p-5 text-muted">
        Loading the comparison
      </p>
    )
  }
  if (loaded === 'failed') return <PlainTexts {...props} />
  return <MountedComparison {...props} mountTexts={loaded.mountComparison} />
}

function MountedComparison(
  props: ComparedTexts & { mountTexts: typeof import('./mount-comparison.ts').mountComparison },
) {
  const { before, mountTexts } = props
  const editable = props.onChange !== undefined
  const sideBySide = useMedia('(min-width: 720px)')
  const latest = useRef(props)
  latest.current = props
  // The edited text also arrives as a prop, and mounting again for it would move the cursor.
  const afterText = editable ? '' : props.after.text
  const mount = useCallback(
    (root: ShadowRoot) => {
      void afterText
      const texts: ComparedTexts = {
        before: { label: before.label, text: before.text },
        after: latest.current.after,
        ...(editable ? { onChange: (text) => latest.current.onChange?.(text) } : {}),
      }
      return mountTexts(root, texts, sideBySide)
    },
    [before.label, before.text, afterText, editable, mountTexts, sideBySide],
  )
  return <ShadowHost mount={mount} />
}

/** Until the editor script loads, both texts are shown as plain text. */
function PlainTexts({ before, after }: ComparedTexts) {
  return (
    <div className="grid h-full gap-4 overflow-auto p-4 wide:grid-cols-2">
      {[before, after].map(({ label, text }) => (
        <section key={label} aria-label={label}>
          <h3 className="text-sm font-semibold text-muted">{label}</h3>
          <pre className="font-mono text-sm whitespace-pre-wrap">{text}</pre>
        </section>
      ))}
    </div>
  )
}
