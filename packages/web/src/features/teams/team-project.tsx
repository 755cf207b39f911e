import { ApiError } from '@clawboo/api/client'
import { type FormEvent, useState } from 'react'
import { type Team, type TeamProject, useSetTeamProject, useTeamProject } from '../../api/teams.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { ProblemLine } from '../../shared/problem.tsx'
import { fieldProblems, saveProblem } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button, FormActions } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Code } from '../../ui/page-header.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { sentence } from '../../ui/words/sentence.ts'

/** The project folder and check command of a team. */
export function TeamProjectPart({ team }: { team: Team }) {
  const project = useTeamProject(team.id)
  const [isEditing, setEditing] = useState(false)
  return (
    <section aria-label="Project" className="flex shrink-0 flex-col gap-2 border-b border-line px-5 py-4">
      <div className="flex items-center justify-between gap-3">
        <h2 className="font-[560]">Project</h2>
        {project.data && !isEditing ? (
          <Button onClick={() => setEditing(true)}>
            {project.data.folder === null ? 'Choose a folder' : 'Change'}
          </Button>
        ) : null}
      </div>
      <Loaded reading={project} name="the project" inLine="text-sm">
        {(data) =>
          isEditing ? (
            <ProjectForm team={team} project={data} onClose={() => setEditing(false)} />
          ) : (
            <ProjectFacts project={data} />
          )
        }
      </Loaded>
    </section>
  )
}

const KIND_WORDS: Readonly<Record<TeamProject['kind'], string>> = {
  repository: 'A git repository. Each task has its own branch.',
  folder: 'A plain folder. Each task works on a copy.',
  missing: 'This folder is gone.',
  none: '',
}

function ProjectFacts({ project }: { project: TeamProject }) {
  if (project.folder === null) {
    return <p className="text-sm text-muted">None. Tasks run in the workspaces of their Boos.</p>
  }
  return (
    <>
      <p className="text-sm">
        <Code>{project.folder}</Code>
      </p>
      <p className={project.kind === 'missing' ? 'text-sm text-bad' : 'text-sm text-muted'}>
        {KIND_WORDS[project.kind]}
      </p>
      <p className="text-sm text-muted">
        {project.checkCommand === null ? (
          'No check command. A person reviews the changes of each task.'
        ) : (
          <>
            Checked by <Code>{project.checkCommand}</Code>
          </>
        )}
      </p>
    </>
  )
}

function ProjectForm({ team, project, onClose }: { team: Team; project: TeamProject; onClose: () => void }) {
  const [before] = useState({ folder: project.folder ?? '', check: project.checkCommand ?? '' })
  const [folder, setFolder] = useState(before.folder)
  const [check, setCheck] = useState(before.check)
  const save = useSetTeamProject(team.id)
  const problems = fieldProblems(save.error)
  const refused =
    save.error instanceof ApiError && save.error.code === 'path_refused' ? sentence(save.error.message) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(
      { folder: folder.trim() || null, checkCommand: check.trim() || null },
      {
        onSuccess: () => {
          announce(`Saved the project of ${team.name}`)
          onClose()
        },
      },
    )
  }
  const isAtField = refused !== undefined || problems.folder !== undefined || problems.checkCommand !== undefined
  return (
    <form onSubmit={submit} noValidate className="flex max-w-[640px] flex-col gap-3">
      <TextField
        label="Project folder"
        hint="An absolute path on the computer of the server. Optional."
        value={folder}
        onChange={(event) => setFolder(event.target.value)}
        error={problems.folder ?? refused}
        autoFocus
        autoComplete="off"
        spellCheck={false}
      />
      <TextField
        label="Check command"
        hint="Runs in the worktree of a task. Exit code 0 means it passed. Optional."
        value={check}
        onChange={(event) => setCheck(event.target.value)}
        error={problems.checkCommand}
        autoComplete="off"
        spellCheck={false}
      />
      <ProblemLine>{save.error && !isAtField ? saveProblem(save.error) : null}</ProblemLine>
      <FormActions saving={save.isPending} onCancel={onClose} />
      <LeaveGuard isDirty={() => !save.isSuccess && (folder !== before.folder || check !== before.check)} />
    </form>
  )
}
