export const OPENCLAW_ID = 'openclaw'
