import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { markdown } from '@codemirror/lang-markdown'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view'
import { editorLook } from './editor-look.ts'

export interface MountedEditor {
  /** Replaces the text from outside; undo brings back what the person typed. */
  readonly setText: (text: string) => void
  readonly focus: () => void
  readonly destroy: () => void
}

/** Mounts an editor in a shadow root, where its styles are adopted sheets, which the page's policy allows. */
export function mountTextEditor(
  root: ShadowRoot,
  options: {
    readonly label: string
    readonly text: string
    readonly onChange: (text: string) => void
    readonly onSave: () => void
  },
): MountedEditor {
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        textBasics(options.label),
        history(),
        typeOverSelection,
        drawSelection(),
        placeholder('Nothing here yet'),
        keymap.of([{ key: 'Mod-s', preventDefault: true, run: () => saveByKey(options.onSave) }]),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    setText: (text) => {
      if (text === view.state.doc.toString()) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function saveByKey(save: () => void): true {
  save()
  return true
}

/** The editor setup shared by editable and read-only texts. */
export function textBasics(label: string): Extension {
  return [
    markdown(),
    editorLook,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true' }),
  ]
}

/**
 * Replaces a selection without the browser's own editing, which would copy the old text's look into a style attribute
 * that the page's policy refuses.
 */
export const typeOverSelection: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const typed = event.inputType === 'insertText' && !event.isComposing ? event.data : null
    if (!typed || view.state.readOnly || view.state.selection.main.empty) return false
    view.dispatch(view.state.replaceSelection(typed), { userEvent: 'input.type', scrollIntoView: true })
    return true
  },
})
