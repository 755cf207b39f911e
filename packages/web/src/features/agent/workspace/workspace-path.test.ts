import { expect, test } from 'vitest'
import { fileLink, folderLink, nameOf, parentOf, pathIn, readWorkspaceSearch } from './workspace-path.ts'

test('[PG120] a path is put together and taken apart again, and the folder itself is the end of the way up', () => {
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

test('[PG120] an address without a path means the folder itself', () => {
  expect(readWorkspaceSearch({ path: 'notes' })).toEqual({ path: 'notes' })
  for (const path of ['', 7, undefined]) expect(readWorkspaceSearch({ path })).toEqual({})
  expect(folderLink('a1', '')).toMatchObject({ search: {} })
})

test('[PG124] a file leads to where it is read, and one that makes a Boo who it is to its editor', () => {
  expect(fileLink('a1', 'notes/tea.md')).toMatchObject({ search: { path: 'notes/tea.md' } })
  expect(fileLink('a1', 'notes/SOUL.md')).toMatchObject({ search: { path: 'notes/SOUL.md' } })
  expect(fileLink('a1', 'SOUL.md')).toMatchObject({ params: { fileName: 'SOUL.md' } })
})
