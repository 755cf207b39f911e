/** The storage key of the last opened board. */
export const LAST_BOARD = 'clawboo.board'
