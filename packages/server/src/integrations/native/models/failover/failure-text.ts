/** Error texts of vendors and local servers for a prompt that is longer than the model's window. */
const OVERFLOW: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic
  /request_too_large|request exceeds the maximum size/i, // Anthropic
  /input is too long for requested model/i, // Bedrock
  /exceeds the context window|context_length_exceeded/i, // OpenAI
  /input token count.*exceeds the maximum/i, // Google
  /maximum prompt length is \d+/i, // xAI
  /reduce the length of the messages/i, // Groq
  /maximum context length (?:is|of) \d+/i, // OpenRouter, vLLM, Mistral
  /tokens \+ `?max_new_tokens`? must be|`inputs` tokens/i, // Together
  /exceeds the (?:available )?context size|exceed_context_size/i, // llama.cpp
  /greater than the context length|tokens to keep from the initial prompt/i, // LM Studio
  /token count of \d+ exceeds the limit of \d+/i, // Copilot
  /context window exceeds limit/i, // MiniMax
  /exceeded model token limit/i, // Kimi
  /too large for model with \d+ maximum context length/i, // Mistral
  /prompt too long; exceeded (?:max )?context length/i, // Ollama
  /model_context_window_exceeded|context window (?:is )?(?:exceeded|too small)/i,
  /context length exceeded|too many tokens in (?:the )?prompt|token limit exceeded/i,
]

/** Error texts about tokens per time. Some resemble the ones above, but waiting helps. */
const RATE_LIMIT =
  /rate.?limit|too many requests|throttl|(?:tokens|requests) per (?:second|minute|hour|day)|\b[TR]P[MD]\b|resource_exhausted|slow down/i

const BILLING =
  /insufficient_quota|insufficient (?:credit|balance|fund|quota)|credit balance is too low|billing_(?:hard_limit|error|not_active)|payment required|out of credits|requires more credits|exceeded your (?:monthly )?(?:spend|budget)/i

const AUTH =
  /invalid.{0,20}api.?key|incorrect api key|api.?key not valid|api_key_invalid|authentication_error|permission_error|permission_denied|invalid_api_key|unauthori[sz]ed|no auth credentials/i

const OVERLOADED =
  /overloaded|server_error|api_error|internal server error|service unavailable|temporarily unavailable|high demand|bad gateway/i

const NO_SUCH_MODEL =
  /model_not_found|not a valid model|(?:access to|use) (?:this |the )?model|model\b.{0,80}(?:does not exist|not (?:found|available|supported|allowed|enabled))/i

export const isRateLimitText = (text: string): boolean => RATE_LIMIT.test(text)
export const isBillingText = (text: string): boolean => BILLING.test(text)
export const isAuthText = (text: string): boolean => AUTH.test(text)
/** A failure of this model only. The key may work for other models. */
export const isUnknownModelText = (text: string): boolean => NO_SUCH_MODEL.test(text)
export const isOverloadText = (text: string): boolean => OVERLOADED.test(text)

/** Whether a provider's error means that the prompt does not fit. Only for texts of providers, never for user text. */
export function isOverflowText(providerText: string): boolean {
  return !isRateLimitText(providerText) && OVERFLOW.some((pattern) => pattern.test(providerText))
}

/** Whether a provider refuses returned thinking because of signatures, encrypted content or position. */
export const isBadThinkingText = (providerText: string): boolean =>
  /thinking.{0,80}block|signature|encrypted.?content|reasoning.{0,40}item|thought.?signature|reasoning_content/i.test(
    providerText,
  )
