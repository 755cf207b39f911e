import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, makeRepository } from '../../packages/server/src/executor/worktrees/test-project.ts'
import { describeBoardServer, makeTeam } from './board-server.ts'

describeBoardServer("A team's project", (server) => {
  const set = (teamId: string, folder: string | null, checkCommand: string | null = null) =>
    server().client.setTeamProject({ params: { teamId }, body: { folder, checkCommand } })
  const get = (teamId: string) => server().client.getTeamProject({ params: { teamId } })

  test('[BO141] accepts only an existing absolute folder outside the home folder, except for its projects', async () => {
    const { teamId } = await makeTeam(server())
    const place = makeFolder()
    const { home } = server()
    await writeFile(join(place, 'file'), '')
    await mkdir(join(home, 'inside'), { recursive: true })
    await symlink(join(home, 'inside'), join(place, 'link'))
    await mkdir(join(home, 'projects', 'ours'), { recursive: true })
    await symlink(join(home, 'inside'), join(home, 'projects', 'out'))
    const folders: [string, RegExp][] = [
      ['project', /absolute/],
      ['../project', /absolute/],
      [join(place, 'nothing'), /does not exist/],
      [join(place, 'file'), /not a folder/],
      [home, /own files/],
      [join(home, 'inside'), /is inside/],
      [`${place}/../${home.slice(dirname(place).length + 1)}/inside`, /is inside/],
      [join(place, 'link'), /is inside/],
      [join(home, 'projects'), /is inside/],
      [join(home, 'projects', 'out'), /is inside/],
      [dirname(home), /contains/],
      ['/', /contains/],
    ]
    for (const [folder, why] of folders)
      await expect(set(teamId, folder), folder).rejects.toMatchObject({
        status: 400,
        code: 'path_refused',
        message: expect.stringMatching(why),
      })
    for (const body of [{ folder: '' }, { folder: '/a\0b' }, { folder: null, checkCommand: ' ' }, { folder: null }])
      await expect(server().client.setTeamProject({ params: { teamId }, body: body as never })).rejects.toMatchObject({
        status: 400,
        code: 'body_invalid',
      })
    expect(await get(teamId)).toEqual({ folder: null, checkCommand: null, kind: 'none' })
    expect(await set(teamId, join(home, 'projects', 'ours'))).toMatchObject({ kind: 'folder' })
    await expect(set('nowhere', place)).rejects.toMatchObject({ code: 'team_not_found' })
    await expect(get('nowhere')).rejects.toMatchObject({ code: 'team_not_found' })
  })

  test('[BO142] a project shows its kind, also after its folder is deleted', async () => {
    const { teamId } = await makeTeam(server())
    const place = makeFolder()
    const repository = makeRepository(join(place, 'repository'))
    await mkdir(join(repository, 'packages'))
    expect(await set(teamId, repository, 'npm test')).toEqual({
      folder: repository,
      checkCommand: 'npm test',
      kind: 'repository',
    })
    expect(await set(teamId, join(repository, 'packages'))).toMatchObject({ kind: 'repository', checkCommand: null })
    expect(await set(teamId, place)).toMatchObject({ folder: place, kind: 'folder' })
    await mkdir(join(place, 'short'))
    await set(teamId, join(place, 'short'))
    await rm(join(place, 'short'), { recursive: true })
    expect(await get(teamId)).toMatchObject({ folder: join(place, 'short'), kind: 'missing' })
    expect(await set(teamId, null, 'make')).toEqual({ folder: null, checkCommand: 'make', kind: 'none' })
  })

  test('[BO142] audits and publishes a change of the project, but not a repeated one', async () => {
    const { teamId } = await makeTeam(server())
    const place = makeFolder()
    await set(teamId, place, 'true')
    await set(teamId, place, 'true')
    const { store } = server()
    const audited = (await store.audit.list({ limit: 200 })).filter(({ subject }) => subject === teamId)
    expect(audited).toMatchObject([
      { actor: 'operator', action: 'team.set-project', detail: { folder: place, checkCommand: 'true' } },
    ])
    const told = (await store.events.after(0, 10_000)).map(({ body }) => JSON.parse(body))
    expect(told.filter((event) => event.type === 'team-upserted' && event.team.id === teamId)).toHaveLength(1)
  })
})
