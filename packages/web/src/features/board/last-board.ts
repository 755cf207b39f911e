/** Where the browser keeps which board was looked at last. */
export const LAST_BOARD = 'clawboo.board'
