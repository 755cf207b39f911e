/** "312 B", "4.1 kB". */
export function byteWords(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`
}
