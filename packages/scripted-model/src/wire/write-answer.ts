import { pause } from '../play-model.ts'
import type { TurnContent, TurnEnd, TurnEvent } from '../play-turn.ts'
import type { ScriptedFailure } from '../script.ts'
import type { Connection } from './connection.ts'
import type { Protocol, StreamWriter, TurnStart, WireRequest } from './protocol.ts'

/**
 * Plays a turn into an HTTP response. The headers are sent with the first output, so a turn that fails at once gets its
 * status.
 */
export async function writeAnswer(
  connection: Connection,
  protocol: Protocol,
  request: WireRequest,
  events: Generator<TurnEvent, void>,
): Promise<void> {
  const start = events.next().value as TurnStart
  const answer = request.stream
    ? streamedAnswer(connection, protocol, protocol.streamWriter(request, start))
    : wholeAnswer(connection, protocol, request, start)
  for (const event of events) {
    if (event.type === 'end') answer.end(event)
    else if (event.type === 'pause') {
      answer.flush()
      if (!(await pause(event.ms, connection.gone))) return
    } else if (event.type !== 'start') answer.add(event)
  }
}

export function writeError({ response }: Connection, protocol: Protocol, failure: ScriptedFailure): void {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (failure.retryAfter !== undefined) headers['retry-after'] = String(failure.retryAfter)
  response.writeHead(failure.status, headers)
  response.end(JSON.stringify(protocol.errorBody(failure)))
}

interface AnswerWriter {
  add(part: TurnContent | { readonly type: 'raw'; readonly text: string }): void
  flush(): void
  end(end: TurnEnd): void
}

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

function streamedAnswer(connection: Connection, protocol: Protocol, writer: StreamWriter): AnswerWriter {
  const { response } = connection
  let waiting = ''
  let isOpen = false
  const opening = () => {
    const text = isOpen ? '' : writer.open()
    isOpen = true
    return text
  }
  const takeWaiting = () => {
    if (!response.headersSent) response.writeHead(200, EVENT_STREAM)
    const text = waiting
    waiting = ''
    return text
  }
  const flush = () => {
    if (waiting !== '') response.write(takeWaiting())
  }
  return {
    flush,
    add(part) {
      // Garbage may be the first thing a client receives, so it does not wait for the opening event.
      waiting += part.type === 'raw' ? part.text : opening() + writer.content(part)
    },
    end(end) {
      const hasOutput = response.headersSent || waiting !== ''
      if (!hasOutput && endWithoutStream(connection, protocol, end)) return
      if (end.because === 'cut' || end.because === 'refused' || end.because === 'answer') {
        waiting += opening()
        connection.cut(takeWaiting())
        return
      }
      if (end.because === 'failed') waiting += writer.fail(end.failure)
      else if (end.because === 'half-call') waiting += opening() + writer.halfCall(end.call)
      else {
        waiting += opening() + writer.end(end)
        if (end.leavesSocketOpen) return flush()
      }
      response.end(takeWaiting())
    },
  }
}

/** Handles an end that sends no event. Returns whether this was one. */
function endWithoutStream(connection: Connection, protocol: Protocol, end: TurnEnd): boolean {
  if (end.because === 'failed' && !end.failure.inStream) writeError(connection, protocol, end.failure)
  else if (end.because === 'refused') connection.reset()
  else if (end.because === 'answer')
    connection.response.writeHead(end.answer.status, end.answer.headers).end(end.answer.body)
  else return false
  return true
}

const BROKEN_BODY = '{"id":'

function wholeAnswer(connection: Connection, protocol: Protocol, request: WireRequest, start: TurnStart): AnswerWriter {
  const { response } = connection
  const content: TurnContent[] = []
  return {
    flush() {},
    add(part) {
      if (part.type !== 'raw') content.push(part)
    },
    end(end) {
      if (end.because === 'failed') writeError(connection, protocol, end.failure)
      if (end.because === 'failed' || endWithoutStream(connection, protocol, end)) return
      response.writeHead(200, { 'content-type': 'application/json' })
      if (end.because === 'cut') connection.cut(BROKEN_BODY)
      else if (end.because === 'half-call') response.end(BROKEN_BODY)
      else if ('usage' in end) {
        const body = JSON.stringify(protocol.wholeAnswer(request, start, content, end))
        if (end.leavesSocketOpen) response.write(body)
        else response.end(body)
      }
    },
  }
}
