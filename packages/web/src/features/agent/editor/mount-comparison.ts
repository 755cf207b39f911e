import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { MERGE_CSS } from './editor-look.ts'
import { textBasics, typeOverSelection } from './mount-text-editor.ts'

export interface ComparedTexts {
  /** On the left, or as deleted lines in one column. */
  readonly before: { readonly label: string; readonly text: string }
  readonly after: { readonly label: string; readonly text: string }
  /** Present if the right side is editable. */
  readonly onChange?: (text: string) => void
}

/** Shows a comparison of two texts. Returns a function that removes it. */
export function mountComparison(root: ShadowRoot, texts: ComparedTexts, sideBySide: boolean): () => void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(MERGE_CSS)
  root.adoptedStyleSheets = [sheet]
  const { onChange } = texts
  const after: Extension = [
    textBasics(texts.after.label),
    onChange
      ? [
          history(),
          typeOverSelection,
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChange(update.state.doc.toString())
          }),
        ]
      : readOnly,
  ]
  if (!sideBySide) {
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: texts.after.text,
        extensions: [
          after,
          unifiedMergeView({
            original: texts.before.text,
            mergeControls: onChange === undefined ? false : renderMergeControl,
          }),
        ],
      }),
    })
    return () => view.destroy()
  }
  const view = new MergeView({
    root,
    parent: root,
    a: { doc: texts.before.text, extensions: [textBasics(texts.before.label), readOnly] },
    b: { doc: texts.after.text, extensions: after },
    collapseUnchanged: { margin: 4, minSize: 8 },
    ...(onChange ? { revertControls: 'a-to-b', renderRevertControl } : {}),
  })
  return () => view.destroy()
}

/** Stays focusable, so that the keyboard can scroll and select. */
const readOnly: Extension = [EditorState.readOnly.of(true), keymap.of(defaultKeymap)]

/** In the one-column view, each change is accepted or rejected in place. */
function renderMergeControl(type: 'accept' | 'reject', run: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = type === 'accept' ? 'Keep mine' : 'Use theirs'
  // The editor moves the focus before the click, so it expects mousedown. The keyboard sends only a click.
  button.addEventListener('mousedown', run)
  button.addEventListener('click', (event) => {
    if (event.detail === 0) run(event)
  })
  return button
}

function renderRevertControl(): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = '→'
  button.setAttribute('aria-label', 'Use this change from the other version')
  button.title = 'Use this change from the other version'
  return button
}
