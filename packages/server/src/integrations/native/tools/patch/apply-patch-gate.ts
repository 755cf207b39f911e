export interface ApplyPatchGate {
  readonly enabled?: boolean
  /** `provider/model` or model names. If not empty, exactly these models get the tool. */
  readonly allowModels?: readonly string[]
}

/**
 * Decides whether a model gets `apply_patch`. OpenAI's models are trained on its format; other models do better with
 * `edit`.
 */
export function judgeApplyPatch(
  gate: ApplyPatchGate,
  model: { readonly provider: string; readonly model: string },
): { readonly offered: boolean; readonly reason: string } {
  const ref = `${model.provider}/${model.model}`.toLowerCase()
  if (gate.enabled === false) return { offered: false, reason: 'apply_patch is switched off' }
  if (gate.allowModels && gate.allowModels.length > 0) {
    const names = gate.allowModels.map((name) => name.trim().toLowerCase())
    const named = names.includes(ref) || names.includes(model.model.toLowerCase())
    return { offered: named, reason: `${ref} is ${named ? '' : 'not '}on the list of models for apply_patch` }
  }
  const trained = model.provider.toLowerCase() === 'openai' || /(^|\/)openai\//.test(ref)
  const reason = trained
    ? `${ref} is trained on its format`
    : `${ref} is not trained on its format and uses edit instead`
  return { offered: trained, reason }
}
