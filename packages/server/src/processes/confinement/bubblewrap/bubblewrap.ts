import type { BoundedReach, Confiner, InsideCommand, Limits, WrapperStatus } from '../confinement.ts'
import { inSystemView, systemView } from './system-view.ts'
import { toolchainFolders } from './toolchain-folders.ts'

/** The folders and programs that `openBubblewrap` found. */
export interface BubblewrapPlaces {
  /** The absolute path of `bwrap`. */
  readonly program: string
  /** The absolute path of `prlimit` inside. */
  readonly limiter: string
  /** The home of the account. The child sees an empty folder in its place. */
  readonly userHome: string
  /** Folders that stay hidden even inside a reachable folder, such as the server's own. */
  readonly hidden: readonly string[]
}

/**
 * No capability, no namespace of the host, and no new user namespace, in which a child would have capabilities again.
 * Its session has no terminal, because the server starts children without one.
 */
const SEALED = ['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--die-with-parent']

export function createBubblewrap(places: BubblewrapPlaces): Confiner {
  const system = systemView()
  return {
    id: 'bubblewrap',
    wrap(command, reach) {
      return {
        program: places.program,
        args: [
          ...SEALED,
          ...['--json-status-fd', '3'],
          ...system,
          ...emptyFolder('/tmp', reach.limits),
          ...emptyFolder('/var/tmp', reach.limits),
          ...emptyFolder(places.userHome, reach.limits),
          ...mounts(places, command, reach),
          ...['--remount-ro', '/'],
          ...['--chdir', command.cwd, '--'],
          ...limited(places.limiter, reach.limits),
          command.program,
          ...command.args,
        ],
        env: { HOME: places.userHome, TMPDIR: '/tmp' },
        readStatus,
      }
    },
  }
}

/** Bubblewrap writes one JSON object to a line: first the process, and after its end the exit code. */
function readStatus(status: string): WrapperStatus {
  const firstPid = /"child-pid": *(\d+)/.exec(status)?.[1]
  return { firstPid: firstPid === undefined ? null : Number(firstPid), hasEnded: status.includes('"exit-code"') }
}

function emptyFolder(path: string, limits: Limits): string[] {
  return ['--perms', '0700', '--size', String(limits.temporaryBytes), '--tmpfs', path]
}

interface Mount {
  readonly path: string
  readonly options: readonly string[]
}

/** Outer folders first: a mount hides everything that was mounted below it earlier. */
function mounts(places: BubblewrapPlaces, command: InsideCommand, reach: BoundedReach): string[] {
  const shown: Mount[] = [
    ...toolchainFolders(command.path, places.userHome)
      .filter((path) => !inSystemView(path))
      .map((path) => ({ path, options: ['--ro-bind-try', path, path] })),
    ...reach.readable.map(({ path, from }) => ({ path, options: ['--ro-bind', from ?? path, path] })),
    ...reach.writable.map((path) => ({ path, options: ['--bind', path, path] })),
    ...(reach.proxySocket === null
      ? []
      : [{ path: PROXY_SOCKET, options: ['--ro-bind', reach.proxySocket, PROXY_SOCKET] }]),
  ]
  const hidden: Mount[] = places.hidden
    .filter((path) => shown.some((mount) => path.startsWith(`${mount.path}/`)))
    .map((path) => ({ path, options: ['--tmpfs', path] }))
  return [...shown, ...hidden]
    .sort((one, other) => depthOf(one.path) - depthOf(other.path))
    .flatMap(({ options }) => options)
}

/** Where a child finds the proxy. */
export const PROXY_SOCKET = '/run/clawboo/proxy.sock'

function depthOf(path: string): number {
  return path.split('/').length
}

function limited(limiter: string, limits: Limits): string[] {
  return [
    limiter,
    `--nproc=${limits.processes}`,
    `--data=${limits.memoryBytes}`,
    `--cpu=${limits.cpuSeconds}`,
    `--fsize=${limits.fileBytes}`,
    '--core=0',
    '--',
  ]
}
