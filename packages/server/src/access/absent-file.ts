/** For `catch` after a file operation: a missing file is null, and any other error stays an error. */
export function absentAsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
