export interface ApplyPatchGate {
  readonly enabled?: boolean
  /** `provider/model` or a model's name; when given, exactly these models have the tool. */
  readonly allowModels?: readonly string[]
}

/**
 * Whether a model gets `apply_patch`, and why. The format is what one vendor's models are trained on; others do better
 * with `edit`.
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
    return { offered: named, reason: `${ref} is ${named ? '' : 'not '}in the list of models for apply_patch` }
  }
  const trained = model.provider.toLowerCase() === 'openai' || /(^|\/)openai\//.test(ref)
  const reason = trained ? `${ref} is trained on its format` : `${ref} is not trained on its format; it has edit`
  return { offered: trained, reason }
}
