export type { GateState } from './gate-memory.ts'
export type { Strictness } from './judge-call.ts'
export { effectOfTool, type GatedTool, type ToolEffect } from './tool-effect.ts'
export {
  type GatedCall,
  type GateQuestion,
  openToolGate,
  type ToolGate,
  type ToolGateOptions,
  type Verdict,
} from './tool-gate.ts'
