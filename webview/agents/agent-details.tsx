import type { ComponentChildren, VNode } from 'preact';
import { wholeSeconds } from '../durations.ts';
import { FileName } from '../file-name.tsx';
import { t, translated, whole } from '../l10n.ts';
import { Markdown } from '../markdown/markdown-view.tsx';
import { openAgent, type Presenter } from '../presenter.ts';
import { visibleText } from '../visible-text.ts';
import type { Attempt, Child } from './child-facts.ts';
import { momentsOf, standsStill } from './elapsed.tsx';
import type { Artifact, Reported } from './reported.ts';

interface Props {
  readonly child: Child | undefined;
  readonly presenter: Presenter;
}

/** All that is known of a child, part by part. */
export function AgentDetails({ child, presenter }: Props): VNode {
  const { end = null, task = null, attempts = [] } = child ?? {};
  return (
    <>
      {task === null ? (
        <p class="quiet">{t('It began before what is shown. Show earlier to see all of it.')}</p>
      ) : (
        <Part title={t('Task')}>
          <p class="agent-text">{visibleText(task)}</p>
        </Part>
      )}
      {end !== null && (
        <>
          <Summary text={end.summary} cut={end.cut} presenter={presenter} />
          <ReportedParts reported={end.reported} presenter={presenter} />
        </>
      )}
      <Attempts attempts={attempts} presenter={presenter} />
      {child !== undefined && end === null && child.started_at !== null && (
        <p class="quiet agent-text">
          {child.worked_ms === null ? momentsOf(child.started_at, child.deadline_at) : standsStill()}
        </p>
      )}
    </>
  );
}

export function Summary({
  text,
  cut = false,
  presenter,
}: {
  text: string;
  cut?: boolean;
  presenter: Presenter;
}): VNode | null {
  if (text.trim() === '') return null;
  return (
    <Part title={t('Summary')}>
      <Markdown text={text} end={cut ? 'cut' : 'closed'} presenter={presenter} />
      {cut && <p class="cut">{t('Only the beginning is shown; the log has the rest.')}</p>}
    </Part>
  );
}

/** More than these would hide the rest. */
const SHOWN = 50;

export function ReportedParts({ reported, presenter }: { reported: Reported; presenter: Presenter }): VNode {
  return (
    <>
      <Texts title={t('Limitations')} lines={reported.limitations} />
      <Texts title={t('Verification')} lines={reported.verification} />
      <Artifacts artifacts={reported.artifacts} presenter={presenter} />
    </>
  );
}

function Texts({ title, lines }: { title: string; lines: readonly string[] }): VNode | null {
  if (lines.length === 0) return null;
  return (
    <Part title={title}>
      <ul class="checkpoint-list">
        {lines.slice(0, SHOWN).map((line, index) => (
          <li key={index}>{visibleText(line)}</li>
        ))}
      </ul>
      <Rest count={lines.length - SHOWN} />
    </Part>
  );
}

const HASH_CHARS = 8;

function Artifacts({
  artifacts,
  presenter,
}: {
  artifacts: readonly Artifact[];
  presenter: Presenter;
}): VNode | null {
  if (artifacts.length === 0) return null;
  return (
    <Part title={t('Artifacts')}>
      <ul class="facts">
        {artifacts.slice(0, SHOWN).map(({ path, sha256, bytes, problem }, index) => (
          <li key={index} class="fact">
            <FileName path={path} presenter={presenter} />
            {sha256 === null ? (
              <span class="quiet">{problem === '' ? t('no hash') : visibleText(translated(problem))}</span>
            ) : (
              <code class="quiet" title={bytesTitle(sha256, bytes)} tabIndex={0}>
                {visibleText(sha256).slice(0, HASH_CHARS)}
              </code>
            )}
          </li>
        ))}
      </ul>
      <Rest count={artifacts.length - SHOWN} />
    </Part>
  );
}

function bytesTitle(sha256: string, bytes: number | null): string {
  const hash = `SHA-256 ${sha256}`;
  return bytes === null ? hash : `${hash}\n${t('{0} bytes', whole(bytes))}`;
}

function Attempts({
  attempts,
  presenter,
}: {
  attempts: readonly Attempt[];
  presenter: Presenter;
}): VNode | null {
  if (attempts.length === 0) return null;
  return (
    <Part title={t('Earlier attempts')}>
      <ol class="checkpoint-list">
        {attempts.map(({ reason, elapsed_ms, child_session_id }, index) => (
          <li key={index}>
            {attemptFacts(reason, elapsed_ms)}{' '}
            {child_session_id !== null && (
              <button
                type="button"
                class="link-button"
                aria-label={t('Transcript of attempt {0}', index + 1)}
                onClick={() => openAgent(presenter, child_session_id)}
              >
                {t('Transcript')}
              </button>
            )}
          </li>
        ))}
      </ol>
    </Part>
  );
}

function attemptFacts(reason: string, elapsed_ms: number | null): string {
  const why = reason === '' ? t('the log does not say why') : visibleText(translated(reason));
  return elapsed_ms === null ? why : t('{0}, after {1}', why.replace(/\.$/u, ''), wholeSeconds(elapsed_ms));
}

function Rest({ count }: { count: number }): VNode | null {
  return count <= 0 ? null : <p class="quiet">{t('and {0} more', whole(count))}</p>;
}

export function Part({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
