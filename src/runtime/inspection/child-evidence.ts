import { isOpenChild, type AttemptTrace, type QuestionTrace, type SubagentTrace } from './child-traces.ts';
import { nameInWords } from './log-names.ts';
import type { ReportedWork } from './reported-work.ts';
import { joined, moment, sentence, spanOf, told, type Words } from './spoken-words.ts';
import { NOT_SCHEDULED, type StepTrace } from './step-traces.ts';
import type { WorkflowTrace } from './workflow-traces.ts';

/** Sentences that name the events which prove the state of a child, a workflow or a step. */

export function subagentEvidence(child: SubagentTrace): readonly Words[] {
  const { started, news, timeout_ms, elapsed_ms } = child;
  const state = child.state === 'waiting' ? 'waiting' : child.status;
  return [
    sentence('State since seq {0}, {1}: {2}.', child.state_seq, moment(child.state_at), nameInWords(state)),
    sentence('First told of at seq {0}.', child.seq),
    ...(started === null ? [] : [sentence('Started at seq {0}, {1}.', started.seq, moment(started.at))]),
    ...(isOpenChild(child)
      ? [sentence('Last sign of life at seq {0}, {1}.', news.seq, moment(news.at))]
      : []),
    // While it waits for a person its time stands still.
    ...said(child.state === 'waiting' ? null : child.deadline_at, (at) =>
      sentence('Deadline: {0}.', moment(at)),
    ),
    ...(child.continued === 0
      ? []
      : child.continued === 1
        ? [sentence('It was given more to do once.')]
        : [sentence('It was given more to do {0} times.', child.continued)]),
    ...said(child.child_session_id, (id) => sentence('Its own log: session {0}.', id)),
    ...stepOfChild(child),
    ...(child.depth === null || child.depth < 2 ? [] : [sentence('Depth {0}.', child.depth)]),
    ...said(child.task, (task) => sentence('Task: {0}', task)),
    ...child.questions.map(questionWords),
    ...child.attempts.map(attemptWords),
    ...said(child.summary, (summary) => sentence('Summary: {0}', summary)),
    ...said(child.reason, (reason) => sentence('Reason: {0}', told(reason))),
    // How long one that works may take is told by its deadline.
    ...(elapsed_ms === null && (timeout_ms === null || isOpenChild(child))
      ? []
      : [sentence('Limit {0}, elapsed {1}.', spanOf(timeout_ms), spanOf(elapsed_ms))]),
    ...workEvidence(child.checkpoint),
    ...tellingEvidence(child),
  ];
}

function said(value: string | null, words: (value: string) => Words): readonly Words[] {
  return value === null ? [] : [words(value)];
}

function stepOfChild({ workflow_id, step_id }: SubagentTrace): readonly Words[] {
  if (workflow_id === null) return [];
  return [
    step_id === null
      ? sentence('It works for workflow {0}.', workflow_id)
      : sentence('It works on step {0} of workflow {1}.', step_id, workflow_id),
  ];
}

function questionWords({ name, reason, message }: QuestionTrace): Words {
  return sentence('It asks ({0}, {1}): {2}', name, nameInWords(reason), told(message));
}

function attemptWords({ attempt, child_session_id, error_kind, reason, elapsed_ms }: AttemptTrace): Words {
  const facts = [
    ...(error_kind === null ? [] : [nameInWords(error_kind)]),
    ...(elapsed_ms === null ? [] : [spanOf(elapsed_ms)]),
    ...(child_session_id === null ? [] : [sentence('session {0}', child_session_id)]),
  ];
  const words = sentence('Attempt {0} came to nothing: {1}.', attempt, joined(facts));
  return reason === null ? words : joined([words, told(reason)], ' ');
}

function tellingEvidence(child: SubagentTrace): readonly Words[] {
  const { state, workflow_id, told_seq, ends } = child;
  if (isOpenChild(child) || state === 'unknown') return [];
  const again = ends.at(-1)?.told[1];
  if (told_seq !== null)
    return [
      sentence('Told to the model at seq {0}.', told_seq),
      ...(again === undefined ? [] : [sentence('Told to the model again at seq {0}.', again)]),
    ];
  if (workflow_id !== null) return [sentence('The result of its workflow tells the model.')];
  if (state === 'detached') return [sentence('The model is not told: it is for you to decide.')];
  return ends.at(-1)?.for_model === true ? [sentence('The model has not been told yet.')] : [];
}

/** What was reported: checked by nobody but for the hashes. */
function workEvidence(work: ReportedWork | null): readonly Words[] {
  if (work === null) return [];
  const { status, limitations, verification, artifacts, artifact_count } = work;
  const more = artifact_count - artifacts.length;
  return [
    sentence(
      'Reported: {0}, limitations: {1}, verified by: {2}.',
      status === '' ? sentence('unknown') : nameInWords(status),
      limitations,
      verification,
    ),
    ...artifacts.map(({ path, sha256, problem }) =>
      sha256 !== null
        ? sentence('Artefact {0}: SHA-256 {1}', path, sha256)
        : problem !== null
          ? sentence('Artefact {0}: no hash, {1}', path, told(problem))
          : sentence('Artefact {0}: no hash', path),
    ),
    ...(more <= 0 ? [] : [sentence('Further artefacts: {0}.', more)]),
  ];
}

export function workflowEvidence(flow: WorkflowTrace): readonly Words[] {
  const decided = flow.steps.filter(({ checkpoint_seq }) => checkpoint_seq !== null).length;
  const { finished_seq, resumed_seq, ends } = flow;
  const before = finished_seq === null ? ends : ends.slice(0, -1);
  return [
    finished_seq === null
      ? sentence('Not finished yet.')
      : sentence(
          'Finished at seq {0}, {1}: {2}.',
          finished_seq,
          moment(flow.state_at),
          nameInWords(flow.status),
        ),
    sentence('Started at seq {0}, {1}.', flow.seq, moment(flow.started_at)),
    ...before.map(({ seq, status }) => sentence('It had ended at seq {0}: {1}.', seq, nameInWords(status))),
    ...(resumed_seq === null ? [] : [sentence('Resumed at seq {0}.', resumed_seq)]),
    ...said(flow.deadline_at, (at) => sentence('Deadline: {0}.', moment(at))),
    sentence('{0} of {1} steps have a checkpoint.', decided, flow.steps.length + flow.more_steps),
    ...readiness(flow),
    ...said(flow.template, (template) => sentence('Template: {0}', template)),
    ...said(flow.spec_sha256, (hash) => sentence('Spec: SHA-256 {0}', hash)),
    ...said(flow.reason, (reason) => sentence('Reason: {0}', nameInWords(reason))),
    ...(flow.elapsed_ms === null ? [] : [sentence('Elapsed {0}.', spanOf(flow.elapsed_ms))]),
    sentence('Workflow {0}', flow.workflow_id),
  ];
}

function readiness({ completion_ready, partial_outcome_ready }: WorkflowTrace): readonly Words[] {
  if (completion_ready === true) return [sentence('All required steps are ready.')];
  if (partial_outcome_ready === true) return [sentence('A part of it can be used.')];
  return completion_ready === false && partial_outcome_ready === false
    ? [sentence('Nothing of it can be used yet.')]
    : [];
}

export function stepEvidence(step: StepTrace): readonly Words[] {
  const { state_seq, started_seq, answered_seq, depends_on, write_set } = step;
  return [
    state_seq === null || step.status === NOT_SCHEDULED
      ? sentence('Not scheduled yet.')
      : sentence('State since seq {0}: {1}.', state_seq, nameInWords(step.status)),
    ...(started_seq === null ? [] : [sentence('Started at seq {0}.', started_seq)]),
    step.checkpoint_seq === null
      ? sentence('No checkpoint yet.')
      : sentence('Checkpoint decided at seq {0}.', step.checkpoint_seq),
    ...(answered_seq === null ? [] : [sentence('Answered at seq {0}.', answered_seq)]),
    ...(step.required ? [] : [sentence('The workflow can complete without it.')]),
    ...(depends_on.length === 0 ? [] : [sentence('Depends on: {0}.', depends_on.join(', '))]),
    ...(write_set.length === 0 ? [] : [sentence('Writes: {0}.', write_set.join(', '))]),
    ...said(step.task, (task) => sentence('Task: {0}', task)),
    ...said(step.summary, (summary) => sentence('Summary: {0}', summary)),
    ...said(step.reason, (reason) => sentence('Reason: {0}', told(reason))),
    ...(step.elapsed_ms === null ? [] : [sentence('Elapsed {0}.', spanOf(step.elapsed_ms))]),
    ...workEvidence(step.work),
    ...said(step.child_session_id, (id) => sentence('Its own log: session {0}.', id)),
  ];
}
