import { ANSWER_TIME, type JsonObject } from './protocol.ts'

const ANSWER_DATE = new Date(ANSWER_TIME * 1000).toISOString()

/** The response to a request for the model list; null for any other path. */
export function modelList(path: string, headers: JsonObject, models: readonly string[]): JsonObject | null {
  switch (path) {
    case '/v1/models':
      return headers['anthropic-version'] ? anthropicList(models) : openaiList(models)
    case '/api/tags':
      return { models: models.map(ollamaModel) }
    case '/api/version':
      return { version: '0.0.0-scripted' }
    default:
      return null
  }
}

function openaiList(models: readonly string[]): JsonObject {
  const data = models.map((id) => ({ id, object: 'model', created: ANSWER_TIME, owned_by: 'scripted' }))
  return { object: 'list', data }
}

function anthropicList(models: readonly string[]): JsonObject {
  const data = models.map((id) => ({ type: 'model', id, display_name: id, created_at: ANSWER_DATE }))
  return { data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null }
}

function ollamaModel(name: string): JsonObject {
  const details = {
    format: 'scripted',
    family: 'scripted',
    families: null,
    parameter_size: '0',
    quantization_level: '',
  }
  return { name, model: name, modified_at: ANSWER_DATE, size: 0, digest: '', details }
}
