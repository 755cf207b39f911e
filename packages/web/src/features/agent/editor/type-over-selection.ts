import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/**
 * Types over a selection without the browser's own editing: that carries the look of the replaced text over in a
 * style attribute, which the page's policy refuses.
 */
export const typeOverSelection: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const typed = event.inputType === 'insertText' && !event.isComposing ? event.data : null
    if (!typed || view.state.readOnly || view.state.selection.main.empty) return false
    view.dispatch(view.state.replaceSelection(typed), { userEvent: 'input.type', scrollIntoView: true })
    return true
  },
})
