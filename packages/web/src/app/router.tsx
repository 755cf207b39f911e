import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { readWorkspaceSearch } from '../features/agent/workspace/workspace-path.ts'
import { readBoardSearch } from '../features/board/board-search.ts'
import { readFleetSearch } from '../features/fleet/fleet-search.ts'
import { readRunsSearch } from '../features/runs/runs-search.ts'
import { holdSignInCode, SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { AppShell } from './app-shell.tsx'
import { NotFound, PageCrash } from './dead-ends.tsx'
import { HomePage } from './home-page.tsx'
import { lazyPage } from './lazy-page.tsx'

const root = createRootRoute({ errorComponent: PageCrash })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInPage,
  beforeLoad: ({ location }) => {
    if (location.hash === '') return
    // The code must not stay in the address, because the history and screenshots would keep it.
    holdSignInCode(location.hash)
    window.history.replaceState(window.history.state, '', '/sign-in')
    throw redirect({ to: '/sign-in', replace: true })
  },
})

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: AppShell })

const fleet = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: readFleetSearch,
  component: HomePage,
})

const newAgent = createRoute({
  getParentRoute: () => shell,
  path: '/new',
  component: lazyPage(() => import('../features/agent/new-agent-page.tsx'), 'NewAgentPage'),
  validateSearch: textParam('team'),
})

const agent = createRoute({
  getParentRoute: () => shell,
  path: '/agents/$agentId',
  component: lazyPage(() => import('../features/agent/agent-page.tsx'), 'AgentPage'),
})

const agentConversation = createRoute({
  getParentRoute: () => agent,
  path: '/',
  component: lazyPage(
    () => import('../features/agent/conversation/conversation-tab.tsx'),
    'ConversationTab',
    'whenOpened',
  ),
})

const agentSetUp = createRoute({
  getParentRoute: () => agent,
  path: '/set-up',
  component: lazyPage(() => import('../features/agent/set-up/set-up-tab.tsx'), 'SetUpTab', 'whenOpened'),
})

const agentSessions = createRoute({
  getParentRoute: () => agent,
  path: '/sessions',
  component: lazyPage(() => import('../features/agent/sessions-tab.tsx'), 'SessionsTab'),
})

const agentIdentity = createRoute({
  getParentRoute: () => agent,
  path: '/identity',
  component: lazyPage(() => import('../features/agent/identity-tab.tsx'), 'IdentityTab'),
})

const agentFiles = createRoute({
  getParentRoute: () => agent,
  path: '/files',
  validateSearch: readWorkspaceSearch,
  component: lazyPage(() => import('../features/agent/files-tab.tsx'), 'FilesTab'),
})

const agentFile = createRoute({
  getParentRoute: () => agentFiles,
  path: '/$fileName',
  validateSearch: readFileSearch,
  component: lazyPage(() => import('../features/agent/file-page.tsx'), 'FilePage'),
})

const agentWorkspaceFile = createRoute({
  getParentRoute: () => agentFiles,
  path: '/in-folder',
  component: lazyPage(
    () => import('../features/agent/workspace/workspace-file-page.tsx'),
    'WorkspaceFilePage',
    'whenOpened',
  ),
})

const runs = createRoute({
  getParentRoute: () => shell,
  path: '/runs',
  validateSearch: readRunsSearch,
  component: lazyPage(() => import('../features/runs/runs-page.tsx'), 'RunsPage', 'whenOpened'),
})

const run = createRoute({
  getParentRoute: () => shell,
  path: '/runs/$runId',
  component: lazyPage(() => import('../features/runs/run-page.tsx'), 'RunPage', 'whenOpened'),
})

const teams = createRoute({
  getParentRoute: () => shell,
  path: '/teams',
  beforeLoad: () => {
    throw redirect({ to: '/', search: { group: 'team' } })
  },
})

const newTeam = createRoute({
  getParentRoute: () => shell,
  path: '/teams/new',
  validateSearch: textParam('member'),
  component: lazyPage(() => import('../features/teams/new-team-page.tsx'), 'NewTeamPage'),
})

const team = createRoute({
  getParentRoute: () => shell,
  path: '/teams/$teamId',
  component: lazyPage(() => import('../features/teams/team-page.tsx'), 'TeamPage'),
})

const room = createRoute({
  getParentRoute: () => shell,
  path: '/teams/$teamId/room',
  validateSearch: readRoomSearch,
  component: lazyPage(() => import('../features/room/room-page.tsx'), 'RoomPage', 'whenOpened'),
})

const roomSettings = createRoute({
  getParentRoute: () => shell,
  path: '/teams/$teamId/room/settings',
  component: lazyPage(
    () => import('../features/room/settings/room-settings-page.tsx'),
    'RoomSettingsPage',
    'whenOpened',
  ),
})

const board = createRoute({
  getParentRoute: () => shell,
  path: '/board',
  component: lazyPage(() => import('../features/board/board-home.tsx'), 'BoardHome', 'whenOpened'),
})

const teamBoard = createRoute({
  getParentRoute: () => shell,
  path: '/board/$teamId',
  validateSearch: readBoardSearch,
  component: lazyPage(() => import('../features/board/board-page.tsx'), 'BoardPage', 'whenOpened'),
})

const runtimes = createRoute({
  getParentRoute: () => shell,
  path: '/runtimes',
  component: lazyPage(() => import('../features/runtimes/runtimes-page.tsx'), 'RuntimesPage', 'whenOpened'),
})

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyPage(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
})

const settingsGeneral = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyPage(() => import('../features/settings/general-settings.tsx'), 'GeneralSettings'),
})

const settingsModels = createRoute({
  getParentRoute: () => settings,
  path: '/models',
  component: lazyPage(() => import('../features/settings/models/model-settings.tsx'), 'ModelSettings', 'whenOpened'),
})

const settingsLimits = createRoute({
  getParentRoute: () => settings,
  path: '/limits',
  component: lazyPage(() => import('../features/settings/limits/limit-settings.tsx'), 'LimitSettings', 'whenOpened'),
})

const needsYou = createRoute({
  getParentRoute: () => shell,
  path: '/needs-you',
  component: lazyPage(() => import('../features/needs-you/needs-you-page.tsx'), 'NeedsYouPage', 'whenOpened'),
})

const apiDocs = createRoute({
  getParentRoute: () => shell,
  path: '/api-docs',
  validateSearch: textParam('q'),
  component: lazyPage(() => import('../features/api-docs/api-docs-page.tsx'), 'ApiDocsPage'),
})

/** Any other address, with the rail, so that a mistyped address still shows links. */
const elsewhere = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound })

const routeTree = root.addChildren([
  signIn,
  shell.addChildren([
    fleet,
    newAgent,
    agent.addChildren([
      agentConversation,
      agentSetUp,
      agentSessions,
      agentIdentity,
      agentFiles.addChildren([agentFile, agentWorkspaceFile]),
    ]),
    runs,
    run,
    teams,
    newTeam,
    team,
    room,
    roomSettings,
    board,
    teamBoard,
    needsYou,
    runtimes,
    settings.addChildren([settingsGeneral, settingsModels, settingsLimits]),
    apiDocs,
    elsewhere,
  ]),
])

export function createAppRouter() {
  return createRouter({ routeTree, parseSearch, stringifySearch })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}

/** Reads one text parameter of an address. */
function textParam<Name extends string>(name: Name) {
  return (search: Record<string, unknown>): { readonly [N in Name]?: string } => {
    const value = search[name]
    return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as { readonly [N in Name]?: string }
  }
}

interface FileSearch {
  /** Whether the history panel is open. */
  readonly history?: boolean
  /** The revision that is compared with the saved text. */
  readonly revision?: number
}

function readFileSearch(search: Record<string, unknown>): FileSearch {
  const revision = Number(search.revision)
  return {
    ...(search.history === 'true' || search.history === true ? { history: true } : {}),
    ...(Number.isInteger(revision) && revision > 0 ? { revision } : {}),
  }
}

interface RoomSearch {
  /** The number of the marked post. */
  readonly post?: number | undefined
}

/** Any other value is dropped, so that a mistyped address still shows the room. */
export function readRoomSearch({ post }: Record<string, unknown>): RoomSearch {
  const seq = Number(post)
  // Set explicitly, because the router merges the result into the parameters of the address.
  return { post: Number.isSafeInteger(seq) && seq > 0 ? seq : undefined }
}

/** Every value in the query of an address is text: `?q=12` searches for "12", not for a number. */
function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
