export { isOpenState, toldState, type NodeState } from '../runtime/inspection/node-state.ts';
export { toldStepStatus } from '../runtime/inspection/step-status.ts';
