export { CLAWBOO_ERROR_CODES, ClawbooError, type ClawbooErrorCode } from './clawboo-error.ts'
export { createInOrder, createInOrderByKey, type InOrder } from './in-order.ts'
