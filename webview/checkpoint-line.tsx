import type { ComponentChildren, VNode } from 'preact';
import {
  basisWords,
  decisionWords,
  eventsOf,
  storyIn,
  strategyWords,
  tailOf,
  triggerWords,
  type CompactionFacts,
} from '../src/presenter/compaction-facts.ts';
import { Disclosure } from './disclosure.tsx';
import { FileName } from './file-name.tsx';
import { forkPlace } from './fork-place.ts';
import { Icon } from './icons.tsx';
import { say, t, translated, whole } from './l10n.ts';
import { Markdown } from './markdown/markdown-view.tsx';
import { runAction, type Presenter } from './presenter.ts';
import type { CheckpointEntry } from './transcript.ts';
import { shortCount } from './turn-evidence.ts';
import { visibleText } from './visible-text.ts';

interface Props {
  readonly checkpoint: CheckpointEntry;
  readonly presenter: Presenter;
}

/** A line across the conversation. What stands above it stays; the model gets a summary of it from here on. */
export function CheckpointLine({ checkpoint, presenter }: Props): VNode {
  const { seq, ts, facts } = checkpoint;
  return (
    <div class="checkpoint" data-seq={seq} title={ts} {...forkPlace(seq)}>
      <div class="checkpoint-rule" role="separator" aria-label={t('Checkpoint')}>
        <span>{t('Checkpoint')}</span>
      </div>
      <Disclosure
        class="checkpoint-box"
        head={
          <>
            <Icon name="checkpoint" />
            <span>
              {headWords(facts)}
              <span class="detail">{detailWords(facts)}</span>
            </span>
          </>
        }
      >
        <CheckpointDetails checkpoint={checkpoint} presenter={presenter} />
      </Disclosure>
    </div>
  );
}

function headWords(facts: CompactionFacts): string {
  const events = eventsOf(facts);
  if (events === null) return t('History compacted: what stands before this line is summed up for the model');
  return events === 1
    ? t('History compacted: 1 event before this line is summed up for the model')
    : t('History compacted: {0} events before this line are summed up for the model', whole(events));
}

function detailWords({ tokens, trigger }: CompactionFacts): string {
  const { before, after } = tokens;
  const size =
    before === null || after === null
      ? []
      : [t('about {0} to {1} tokens', shortCount(before), shortCount(after))];
  return [...size, say(triggerWords(trigger))].join(', ');
}

/** What it says, but for what only its document has room for. */
export function CheckpointDetails({ checkpoint, presenter }: Props): VNode {
  const { seq, facts } = checkpoint;
  const { open_tasks, files_touched, decisions, skills_dropped, limitations } = facts;
  const open = (): void =>
    runAction(presenter, { label: '', command: 'ledgerline.openCheckpoint', args: [{ seq }] });
  return (
    <div class="evidence-details">
      <Summary checkpoint={checkpoint} presenter={presenter} />
      <Texts title={t('Open tasks')} lines={open_tasks.map(visibleText)} />
      <Files files={files_touched} presenter={presenter} />
      <Texts title={t('Decisions')} lines={decisions.map((one) => visibleText(say(decisionWords(one))))} />
      <Texts title={t('Skills dropped')} lines={skills_dropped.map(visibleText)} />
      <Texts title={t('Limitations')} lines={limitations.map((one) => visibleText(translated(one)))} />
      <How facts={facts} seq={seq} />
      <div class="actions">
        <button type="button" class="button" onClick={open}>
          {t('Open checkpoint')}
        </button>
      </div>
    </div>
  );
}

interface SummaryProps {
  readonly checkpoint: Pick<CheckpointEntry, 'facts' | 'cut'>;
  readonly presenter: Presenter;
}

/**
 * Without its lists, which stand below it: its document has all of it. A model writes Markdown; what is put together by
 * rules keeps its lines.
 */
export function Summary({ checkpoint: { facts, cut }, presenter }: SummaryProps): VNode | null {
  const { strategy } = facts;
  const summary = storyIn(facts.summary);
  if (summary === '') return null;
  return (
    <Part title={t('Summary')}>
      {strategy === 'deterministic_v1' ? (
        <p class="checkpoint-summary">{visibleText(summary)}</p>
      ) : (
        <Markdown text={summary} end={cut ? 'cut' : 'closed'} presenter={presenter} />
      )}
      {cut && <p class="cut">{t('Only the beginning is shown; the log has the rest.')}</p>}
    </Part>
  );
}

/** More than these are for the document. */
const SHOWN = 30;

export function Files({
  files,
  presenter,
}: {
  files: readonly string[];
  presenter: Presenter;
}): VNode | null {
  if (files.length === 0) return null;
  return (
    <Part title={t('Files touched')}>
      <ul class="facts">
        {files.slice(0, SHOWN).map((path) => (
          <li key={path} class="fact">
            <FileName path={path} presenter={presenter} />
          </li>
        ))}
      </ul>
      <Rest count={files.length - SHOWN} />
    </Part>
  );
}

export function Texts({ title, lines }: { title: string; lines: readonly string[] }): VNode | null {
  if (lines.length === 0) return null;
  return (
    <Part title={title}>
      <ul class="checkpoint-list">
        {lines.slice(0, SHOWN).map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
      <Rest count={lines.length - SHOWN} />
    </Part>
  );
}

function Rest({ count }: { count: number }): VNode | null {
  return count <= 0 ? null : <p class="quiet">{t('and {0} more', whole(count))}</p>;
}

/** How it was made, and what of the earlier conversation the model still gets as it is. */
function How({ facts, seq }: { facts: CompactionFacts; seq: number }): VNode {
  const { strategy, fallback, tokens } = facts;
  const tail = tailOf(facts, seq);
  return (
    <Part title={t('How')}>
      <p>{t('Made of: {0}.', say(strategyWords(strategy)))}</p>
      {fallback !== null && (
        <p>
          {t(
            'Asked for was this: {0}. It failed: {1}',
            say(strategyWords(fallback.from)),
            translated(fallback.message === '' ? fallback.kind : fallback.message),
          )}
        </p>
      )}
      {fallback !== null && fallback.details !== '' && (
        <p>{t('Details: {0}', visibleText(fallback.details))}</p>
      )}
      {tail !== null && tail > 0 && <p>{tailWords(tail)}</p>}
      {tokens.before !== null && tokens.after !== null && (
        <p>
          {t('About {0} tokens before, {1} after.', whole(tokens.before), whole(tokens.after))}{' '}
          {tokens.basis !== '' && t('Counted how: {0}.', say(basisWords(tokens.basis)))}
        </p>
      )}
    </Part>
  );
}

function tailWords(tail: number): string {
  return tail === 1
    ? t('The last event before this line is not summed up: it is still sent as it is.')
    : t(
        'The last {0} events before this line are not summed up: the conversation in them is still sent as it is.',
        whole(tail),
      );
}

function Part({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
