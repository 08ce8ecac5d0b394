import type { Decision } from '../../src/runtime/decisions.ts';
import type { CommandProcess } from '../../src/runtime/events.ts';
import type { RunSettings } from '../../src/runtime/extension.ts';
import type { Ids, Provider, ToolBox } from '../../src/runtime/ports.ts';
import type { Session } from '../../src/runtime/session.ts';
import type { RunPorts } from '../../src/runtime/session-ports.ts';
import type { Disk } from '../../src/storage/disk.ts';
import { sessionPaths } from '../../src/storage/session-paths.ts';
import { DurableLog } from './durable-log.ts';
import { Endpoint } from './endpoint.ts';
import { Faults } from './faults.ts';
import { History } from './history.ts';
import { Incarnation, type Machine } from './incarnation.ts';
import { PromiseBroken } from './promises/promise.ts';
import { Random } from './random.ts';
import { ScriptWriter } from './response-script.ts';
import { Scheduler, type Choice, type Owner } from './scheduler.ts';
import { SimDisk } from './sim-disk.ts';
import { SimFiles } from './sim-files.ts';
import { SimPerson } from './sim-person.ts';
import { SimProvider } from './sim-provider.ts';
import { SimTools } from './sim-tools.ts';
import { temperament } from './temperament.ts';
import { Watch } from './watch.ts';
import { World } from './world.ts';

const ROOT = '/storage';
const SESSION = 'ses_sim';
const MOST_STEPS = 50_000;
const MOST_TIME_MS = 4 * 3600 * 1000;

/** Pieces to use instead of the sound ones, to see that the simulation notices. */
export interface Faulty {
  readonly disk?: (disk: Disk) => Disk;
  readonly tools?: (tools: ToolBox) => ToolBox;
  readonly provider?: (provider: Provider) => Provider;
  readonly decision?: (decision: Decision) => Decision;
  readonly settings?: (settings: RunSettings) => RunSettings;
  readonly isAlive?: (process: CommandProcess) => boolean;
  readonly opened?: (session: Session, ports: () => Promise<RunPorts>) => void;
}

export interface Report {
  readonly seed: number;
  readonly broken: PromiseBroken | null;
  readonly history: History;
}

/** A whole life of one session: trouble first, then calm, in which all must come right. */
export async function simulate(seed: number, faulty: Faulty = {}): Promise<Report> {
  const simulation = new Simulation(seed, faulty);
  const onRejection = (reason: unknown): void =>
    simulation.world.breaks(new PromiseBroken(`no promise is left floating: ${describe(reason)}`));
  process.on('unhandledRejection', onRejection);
  let broken: PromiseBroken | null = null;
  try {
    await simulation.run();
  } catch (error) {
    broken = error instanceof PromiseBroken ? error : new PromiseBroken(describe(error));
  } finally {
    process.off('unhandledRejection', onRejection);
  }
  return { seed, broken, history: simulation.history };
}

/** Before each save the lease is looked at. */
function isSave(label: string): boolean {
  return /\.stream|^stat .*\.lease/.test(label);
}

/** A tool has begun, and its outcome is not known yet. */
function isWork(label: string): boolean {
  return /^(effect|work|end) /.test(label);
}

class Simulation implements Machine {
  readonly root = ROOT;
  readonly session_id = SESSION;
  readonly history = new History();
  readonly scheduler: Scheduler;
  readonly world: World;
  readonly ids: Ids = countingIds();
  private readonly paths = sessionPaths(ROOT, SESSION);
  private readonly random: Random;
  private readonly files = new SimFiles(ROOT);
  private readonly temperament: ReturnType<typeof temperament>;
  private readonly faults: Faults;
  private readonly endpoint: Endpoint;
  private readonly person: SimPerson;
  private readonly watch: Watch;
  private crashesLeft: number;
  private pids = 0;
  private current: Incarnation;
  private phase: 'lively' | 'leaving' | 'last_send' | 'last_leave' = 'lively';

  constructor(
    seed: number,
    private readonly faulty: Faulty,
  ) {
    this.random = new Random(seed);
    this.temperament = temperament(this.random.branch());
    const note = (line: string): void => this.note(line);
    this.scheduler = new Scheduler(this.random.branch(), this.temperament.time_weight, note);
    const log = new DurableLog(this.files, { log: this.paths.log, blobs: `${ROOT}/blobs` }, SESSION);
    this.world = new World(log, this.scheduler, note, () => this.current.lookAgain());
    this.faults = new Faults(this.temperament.faults, this.random.branch(), note);
    const writer = new ScriptWriter(this.random.branch(), this.temperament);
    this.endpoint = new Endpoint(
      log,
      writer,
      () => this.world.shownSeq,
      (promise) => this.world.breaks(promise),
    );
    this.person = new SimPerson(this.random.branch(), this.temperament, this.world, note);
    this.crashesLeft = this.temperament.crashes;
    const { batch_approvals } = this.temperament.settings;
    this.watch = new Watch(
      log,
      this.world,
      this.files,
      this.paths,
      this.faults,
      this.endpoint.name,
      batch_approvals,
    );
    this.history.log = log.events;
    this.current = this.begin();
  }

  async run(): Promise<void> {
    for (let steps = 0; ; steps += 1) {
      await drained();
      this.watch.afterStep(this.current.session);
      if (this.current.kind === 'ended') {
        if (this.phase === 'last_leave') return this.watch.atEnd();
        if (this.phase === 'leaving') this.phase = 'last_send';
        this.current = this.begin();
        continue;
      }
      if (steps > MOST_STEPS || this.scheduler.elapsed > MOST_TIME_MS)
        throw new PromiseBroken(
          `everything comes to rest: not in ${steps} steps, ${this.scheduler.elapsed} ms`,
        );
      this.scheduler.step([this.personChoice(), this.crashChoice()]);
    }
  }

  isAlive(pid: number): boolean {
    return this.current.pid === pid && this.current.alive;
  }

  disk(owner: Owner): Disk {
    const { files, scheduler, faults } = this;
    const disk = new SimDisk({ files, scheduler, faults, random: this.random, owner });
    return this.faulty.disk?.(disk) ?? disk;
  }

  tools(owner: Owner): ToolBox {
    const tools = new SimTools({ scheduler: this.scheduler, owner, world: this.world });
    return this.faulty.tools?.(tools) ?? tools;
  }

  provider(owner: Owner): Provider {
    const { scheduler, endpoint: server } = this;
    const idle_ms = this.temperament.settings.stream_idle_ms;
    const provider = new SimProvider({ scheduler, owner, server, idle_ms });
    return this.faulty.provider?.(provider) ?? provider;
  }

  settings(): RunSettings {
    return this.faulty.settings?.(this.person.settings) ?? this.person.settings;
  }

  isRunning(process: CommandProcess): boolean {
    return this.faulty.isAlive?.(process) ?? this.world.commands.isAlive(process);
  }

  taken(decision: Decision): Decision {
    return this.faulty.decision?.(decision) ?? decision;
  }

  opening(): void {
    this.watch.opening();
  }

  opened(session: Session, ports: () => Promise<RunPorts>): void {
    this.watch.opened();
    this.faulty.opened?.(session, ports);
  }

  atRest(session: Session): void {
    this.watch.atRest(session, this.settings().model);
  }

  held(): void {
    this.watch.held();
  }

  stopped(turnId: string): void {
    this.watch.stopped(turnId);
  }

  note(line: string): void {
    this.history.note(this.scheduler.elapsed, line);
    if (line.includes('.stream')) this.watch.scratchTouched(this.scheduler.now);
  }

  private begin(): Incarnation {
    this.pids += 1;
    const incarnation = new Incarnation(this.pids, this);
    this.note(`process ${incarnation.pid} begins`);
    incarnation.live().catch((error: unknown) => {
      this.world.breaks(error instanceof PromiseBroken ? error : new PromiseBroken(describe(error)));
    });
    return incarnation;
  }

  private personChoice(): Choice {
    const { session } = this.current;
    const idle = session?.running === false && this.scheduler.pendingOf(this.current, () => true) === 0;
    // Who sees that nothing goes on does not wait for long.
    const weight = session === null ? 0 : idle ? 1 : this.temperament.person_weight;
    return { weight, take: () => this.personActs() };
  }

  private personActs(): void {
    if (this.phase === 'lively' && this.person.finished) {
      this.phase = 'leaving';
      this.faults.end();
      this.endpoint.calm = true;
      this.scheduler.calm();
    }
    switch (this.phase) {
      case 'lively':
        return this.person.act(this.current);
      case 'last_send':
        this.phase = 'last_leave';
        this.note('person sends for the last time');
        return this.current.send(this.person.freshId());
      case 'leaving':
      case 'last_leave':
        this.note('person leaves when all is settled');
        return this.current.leaveSettled();
    }
  }

  private crashChoice(): Choice {
    const possible = this.phase === 'lively' && this.crashesLeft > 0;
    const { crash_weight, crash_at_work } = this.temperament;
    const working = this.world.commands.busy || this.scheduler.pendingOf(this.current, isWork) > 0;
    const atWork = working ? crash_at_work : 0;
    return { weight: possible ? crash_weight + atWork : 0, take: () => this.crash() };
  }

  private crash(): void {
    this.crashesLeft -= 1;
    const powerCut = this.random.chance(this.temperament.power_cuts);
    this.note(powerCut ? 'power cut' : `process ${this.current.pid} is killed`);
    const saving = this.scheduler.pendingOf(this.current, isSave) > 0;
    this.watch.crashed({ powerCut, saving, now: this.scheduler.now });
    this.world.cutOff();
    this.current.kill();
    this.scheduler.abandon(this.current);
    this.world.commands.ownerDied(this.current);
    if (!powerCut) return;
    this.scheduler.powerOff();
    this.world.commands.powerOff();
    this.files.powerCut(this.random);
  }
}

/** Nothing is left to run before something outside answers. */
function drained(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function countingIds(): Ids {
  let count = 0;
  return {
    next: (kind) => {
      count += 1;
      return `${kind}_${count}`;
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
