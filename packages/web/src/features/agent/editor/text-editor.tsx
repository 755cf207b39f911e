import { useCallback, useEffect, useRef } from 'react'
import { useModule } from '../../../ui/state/use-module.ts'
import { fieldClass } from '../../../ui/text-field.tsx'
import { ShadowHost } from './editor-host.tsx'
import type { MountedEditor } from './mount-text-editor.ts'

interface TextEditorProps {
  readonly label: string
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onSave: () => void
}

/** The Markdown editor, loaded when it is first needed. */
export function TextEditor(props: TextEditorProps) {
  const { loaded } = useModule(() => import('./mount-text-editor.ts'))
  if (loaded === 'loading') {
    return (
      <p role="status" className="p-5 text-muted">
        Loading the editor
      </p>
    )
  }
  if (loaded === 'failed') return <PlainField {...props} />
  return <CodeEditor {...props} mountEditor={loaded.mountTextEditor} />
}

function CodeEditor(props: TextEditorProps & { mountEditor: typeof import('./mount-text-editor.ts').mountTextEditor }) {
  const latest = useRef(props)
  latest.current = props
  const editor = useRef<MountedEditor | null>(null)
  // Texts on their way from the editor to the page and back. Setting an older one would undo newer typing.
  const echoes = useRef<string[]>([])
  const { label, mountEditor } = props
  const mount = useCallback(
    (root: ShadowRoot) => {
      const mounted = mountEditor(root, {
        label,
        text: latest.current.text,
        onChange: (text) => {
          echoes.current.push(text)
          latest.current.onChange(text)
        },
        onSave: () => latest.current.onSave(),
      })
      editor.current = mounted
      return () => {
        editor.current = null
        mounted.destroy()
      }
    },
    [label, mountEditor],
  )
  useEffect(() => {
    const echo = echoes.current.indexOf(props.text)
    if (echo < 0) editor.current?.setText(props.text)
    echoes.current.splice(0, echo + 1)
  }, [props.text])
  return <ShadowHost mount={mount} />
}

/** Replaces the editor when its script fails to load, so that the person can still write. */
function PlainField({ label, text, onChange, onSave }: TextEditorProps) {
  return (
    <div className="flex h-full flex-col gap-2 p-4">
      <p className="text-sm text-muted">Couldn't load the editor. You can still edit and save here.</p>
      <textarea
        aria-label={label}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 's' || !(event.metaKey || event.ctrlKey)) return
          event.preventDefault()
          onSave()
        }}
        className={`${fieldClass} min-h-0 flex-1 p-3 font-mono text-sm`}
      />
    </div>
  )
}
