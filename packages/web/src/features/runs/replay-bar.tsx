import { durationWords } from '../../shared/run/run-words.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { type ReplayControl, SPEEDS } from './replay.ts'

const STEP_MS = 100

/** Plays the record from any position, at a chosen speed. */
export function ReplayBar({ replay }: { replay: ReplayControl }) {
  // A whole number of steps, because a slider cannot be between two, not even at its end.
  const most = Math.max(1, Math.ceil(replay.length / STEP_MS)) * STEP_MS
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-t border-line bg-bg px-5 py-2.5">
      {replay.playing ? (
        <Button icon="pause" onClick={replay.pause}>
          Pause
        </Button>
      ) : (
        <Button icon="play" onClick={replay.play}>
          Play
        </Button>
      )}
      <input
        type="range"
        aria-label="Place in the record"
        aria-valuetext={`${durationWords(replay.moment)} of ${durationWords(replay.length)}`}
        min={0}
        max={most}
        step={STEP_MS}
        value={replay.atEnd ? most : Math.round(replay.moment)}
        onChange={(event) => replay.seek(Number(event.target.value))}
        className="min-w-[120px] flex-1 accent-accent"
      />
      <span className="text-sm text-muted tabular-nums">
        {`${durationWords(replay.moment)} of ${durationWords(replay.length)}`}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and a legend that do not fit this row */}
      <div role="group" aria-label="Speed" className="flex gap-1">
        {SPEEDS.map((speed) => (
          <button
            key={speed}
            type="button"
            aria-pressed={replay.speed === speed}
            onClick={() => replay.setSpeed(speed)}
            className={speedClass(replay.speed === speed)}
          >
            {`${speed}×`}
          </button>
        ))}
        <button type="button" onClick={replay.toEnd} className={speedClass(false)}>
          Instant
        </button>
      </div>
    </div>
  )
}

function speedClass(on: boolean): string {
  return classNames(
    'h-[26px] rounded-full border px-2.5 text-sm',
    on ? 'border-text bg-text text-surface' : 'border-line-strong bg-surface text-muted hover:text-text',
  )
}
