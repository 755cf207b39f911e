export const NATIVE_ID = 'clawboo-native'
