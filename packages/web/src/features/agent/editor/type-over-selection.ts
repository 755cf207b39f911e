import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

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
