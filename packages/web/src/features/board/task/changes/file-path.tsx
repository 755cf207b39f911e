/** A path that keeps its end readable when it is too long. */
export function FilePath({ path, from = null }: { readonly path: string; readonly from?: string | null }) {
  const at = path.lastIndexOf('/') + 1
  return (
    <span title={from === null ? path : `${from} → ${path}`} className="flex min-w-0 font-mono text-sm">
      {from === null ? null : <span className="min-w-0 shrink-[99] truncate text-muted">{`${from} →\u00a0`}</span>}
      {at === 0 ? null : <span className="min-w-0 shrink-[99] truncate">{path.slice(0, at)}</span>}
      <span className="min-w-0 truncate">{path.slice(at)}</span>
    </span>
  )
}
