import { defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** The editor's theme in the page's tokens. Custom properties reach into the shadow root; style sheets do not. */
export const editorLook: Extension = [
  EditorView.theme({
    '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
    '.cm-content': { padding: '12px 0', caretColor: 'var(--accent)' },
    '.cm-line': { padding: '0 16px' },
    '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'var(--accent-soft)',
    },
    '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', border: 'none' },
    '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 16px', minWidth: '36px' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
    '.cm-placeholder': { color: 'var(--muted)' },
    '.cm-changedLine, .cm-inlineChangedLine, .cm-insertedLine': { backgroundColor: 'var(--good-soft) !important' },
    '.cm-deletedChunk, &.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--bad-soft) !important' },
    '.cm-changedText, .cm-insertedText': {
      background: 'none !important',
      textDecoration: 'underline',
      textDecorationColor: 'var(--good)',
      textUnderlineOffset: '3px',
    },
    '.cm-deletedChunk .cm-deletedText, &.cm-merge-a .cm-changedText': {
      background: 'none !important',
      textDecoration: 'underline',
      textDecorationColor: 'var(--bad)',
      textUnderlineOffset: '3px',
    },
    '.cm-changeGutter': { width: '3px', paddingLeft: '0' },
    '.cm-changedLineGutter': { backgroundColor: 'var(--good)' },
    '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { backgroundColor: 'var(--bad)' },
    '.cm-deletedChunk': { padding: '0 16px' },
    '.cm-collapsedLines': {
      background: 'var(--sunken)',
      color: 'var(--muted)',
      fontFamily: 'var(--font)',
      fontSize: '12px',
    },
    '.cm-chunkButtons button': {
      border: '1px solid var(--line-strong)',
      borderRadius: '6px',
      background: 'var(--raised)',
      color: 'var(--text)',
      fontFamily: 'var(--font)',
      fontSize: '12px',
      margin: '0 2px',
      padding: '0 8px',
      cursor: 'pointer',
    },
  }),
  // The default highlighting in the page's tokens: weight and slant stay, marks and addresses are muted.
  syntaxHighlighting(
    HighlightStyle.define(
      defaultHighlightStyle.specs.map(({ tag, fontWeight, fontStyle, color }) => ({
        tag,
        ...(fontWeight ? { fontWeight } : {}),
        ...(fontStyle ? { fontStyle } : {}),
        ...(color ? { color: 'var(--muted)' } : {}),
      })),
    ),
  ),
]

/** Side by side, the two texts scroll together. */
export const MERGE_CSS = `
  :host { display: block; height: 100%; }
  .cm-mergeView { height: 100%; overflow: auto; }
  .cm-mergeViewEditors { min-height: 100%; }
  .cm-mergeViewEditor { overflow: hidden; }
  .cm-mergeViewEditor + .cm-mergeViewEditor { border-left: 1px solid var(--line); }
  .cm-merge-revert { width: 28px; background: var(--bg); border-inline: 1px solid var(--line); }
  .cm-merge-revert button {
    position: absolute; inset-inline: 2px; height: 22px; border: 1px solid var(--line-strong); border-radius: 6px;
    background: var(--raised); color: var(--text); cursor: pointer;
  }
  .cm-merge-revert button:focus-visible { outline: 2px solid var(--accent); }
  .editor { height: 100%; }
`
