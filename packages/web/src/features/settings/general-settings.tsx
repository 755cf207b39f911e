import { type AuditEntry, useAudit } from '../../api/access.ts'
import { useFleet } from '../../api/fleet.ts'
import { FRESH, useOperation } from '../../api/operation.ts'
import { useTeams } from '../../api/teams.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { Button } from '../../ui/button.tsx'
import { singleKeysOn, switchSingleKeys } from '../../ui/keyboard/shortcuts.ts'
import { Code, Fact, Section } from '../../ui/page-header.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { useValue } from '../../ui/state/value-store.ts'
import { chooseTheme, THEME_CHOICES, themeChoice } from '../../ui/theme.ts'
import { ago, clockWords, exactTime } from '../../ui/words/time-words.ts'
import { Access } from './access.tsx'

export function GeneralSettings() {
  return (
    <>
      <Section title="Appearance" about="Stored in this browser.">
        <Appearance />
      </Section>
      <Section title="Access" about="Who may use this server.">
        <Access />
      </Section>
      <Section title="About" about="This server and its data.">
        <About />
      </Section>
      <Section title="Audit" about="Who changed what, newest first.">
        <AuditList />
      </Section>
    </>
  )
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

function About() {
  const now = useNow()
  const status = useOperation('getStatus', {}, FRESH)
  return (
    <Loaded reading={status} name="server details" inLine="">
      {({ version, engine, home, agents, teams, startedAt, confinement }) => (
        <dl className="flex flex-col">
          <Fact term="Version">{version}</Fact>
          <Fact term="Database">{ENGINES[engine]}</Fact>
          <Fact term="Home">
            <Code>{home}</Code>
          </Fact>
          <Fact term="Commands">
            {confinement.isOn ? 'Confined to their own folders' : 'Not confined. You are asked before each one.'}
          </Fact>
          <Fact term="Started">{ago(startedAt, now)}</Fact>
          <Fact term="Boos, people">{agents.toLocaleString('en-GB')}</Fact>
          <Fact term="Teams">{teams.toLocaleString('en-GB')}</Fact>
        </dl>
      )}
    </Loaded>
  )
}

const NAMES = { system: 'System', light: 'Light', dark: 'Dark' } as const

function Appearance() {
  const chosen = useValue(themeChoice)
  const singleKeys = useValue(singleKeysOn)
  return (
    <>
      <fieldset>
        <legend className="mb-1 text-sm font-[550]">Theme</legend>
        <div className="flex flex-wrap gap-2">
          {THEME_CHOICES.map((choice) => (
            <label
              key={choice}
              className="flex items-center gap-2 rounded-s border border-line-strong px-3 py-1 has-checked:border-accent has-checked:bg-accent-soft"
            >
              <input
                type="radio"
                name="theme"
                className="accent-accent"
                checked={chosen === choice}
                onChange={() => chooseTheme(choice)}
              />
              {NAMES[choice]}
            </label>
          ))}
        </div>
      </fieldset>
      <label className="flex items-start gap-2.5">
        <input
          type="checkbox"
          className="mt-1 accent-accent"
          checked={singleKeys}
          onChange={(event) => switchSingleKeys(event.target.checked)}
        />
        <span>
          Single-key shortcuts
          <span className="block text-sm text-muted">Switch them off if you dictate, or press keys by accident.</span>
        </span>
      </label>
    </>
  )
}

function AuditList() {
  const audit = useAudit()
  const entries = audit.data?.pages.flat() ?? []
  return (
    <Loaded reading={audit} name="the audit" inLine="">
      {() =>
        entries.length === 0 ? (
          <p className="text-muted">No changes yet. Every change is listed here.</p>
        ) : (
          <>
            <ol className="flex flex-col">
              {entries.map((entry) => (
                <AuditLine key={entry.id} entry={entry} />
              ))}
            </ol>
            {audit.hasNextPage ? (
              <div>
                <Button onClick={() => void audit.fetchNextPage()} disabled={audit.isFetchingNextPage}>
                  {audit.isFetchingNextPage ? 'Loading' : 'Load more'}
                </Button>
              </div>
            ) : null}
          </>
        )
      }
    </Loaded>
  )
}

function AuditLine({ entry }: { entry: AuditEntry }) {
  const now = useNow()
  const subject = useSubjectName(entry.subject)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-baseline gap-x-4 border-b border-line py-1.5">
      <span className="truncate">
        {actionWords(entry.action)}
        {subject ? <span className="text-muted">{` · ${subject}`}</span> : null}
      </span>
      <span className="text-sm text-muted">{entry.actor}</span>
      <span className="text-right text-sm text-muted tabular-nums" title={exactTime(entry.at)}>
        {clockWords(entry.at, now)}
      </span>
    </li>
  )
}

/** The name if there is one; a deleted subject has only its id. */
function useSubjectName(subject: string): string {
  const agents = useFleet().data?.agents
  const teams = useTeams().data
  return subject
    .split(/([\s/]+)/)
    .map((part) => {
      const id = part.replace(/^(agent|team):/, '')
      return (
        agents?.find((agent) => agent.id === id)?.displayName ?? teams?.find((team) => team.id === id)?.name ?? part
      )
    })
    .join('')
}

/** "agent.create" reads as "Agent create". */
function actionWords(action: string): string {
  const words = action.replace(/[._-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
