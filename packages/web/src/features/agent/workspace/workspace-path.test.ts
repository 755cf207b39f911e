import { expect, test } from 'vitest'
import { fileLink, folderLink, nameOf, parentOf, pathIn, readWorkspaceSearch } from './workspace-path.ts'

test('[PG120] a path is joined and split again, and the workspace itself is the top', () => {
  for (const [folder, name, path] of [
    ['', 'a', 'a'],
    ['a', 'b c', 'a/b c'],
    ['a/b', '.x', 'a/b/.x'],
  ] as const) {
    expect(pathIn(folder, name)).toBe(path)
    expect([parentOf(path), nameOf(path)]).toEqual([folder, name])
  }
  expect(parentOf('')).toBe('')
})

test('[PG120] an address without a path shows the workspace itself', () => {
  expect(readWorkspaceSearch({ path: 'notes' })).toEqual({ path: 'notes' })
  for (const path of ['', 7, undefined]) expect(readWorkspaceSearch({ path })).toEqual({})
  expect(folderLink('a1', '')).toMatchObject({ search: {} })
})

test('[PG124] a file links to its read-only page, and an agent file to its editor', () => {
  expect(fileLink('a1', 'notes/tea.md')).toMatchObject({ search: { path: 'notes/tea.md' } })
  expect(fileLink('a1', 'notes/SOUL.md')).toMatchObject({ search: { path: 'notes/SOUL.md' } })
  expect(fileLink('a1', 'SOUL.md')).toMatchObject({ params: { fileName: 'SOUL.md' } })
})
