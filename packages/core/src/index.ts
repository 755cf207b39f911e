export { CLAWBOO_ERROR_CODES, ClawbooError, type ClawbooErrorCode } from './clawboo-error.ts'
