/**
 * The sends of one logical task, found by what an answer tells of them without looking at every one.
 *
 * Everything that asks for "the first that …" walks a list in order of sending, and lists drop for good
 * what can never be the answer again (a send is answered once), so that all walks together are linear;
 * what came before an answer is found by bisection.
 */
import type { DispatchFact, ErrorFact, MessageFact, NoAnswerFact, NothingFact, ReportFact } from '../fact/fact.ts'
import { clockSkewMsMax } from '../fact/facts-of.ts'
import { isAfter, type Moment } from '../fact/moment.ts'
import type { DispatchOutcome } from './analysis.ts'

export type AnswerFact = ReportFact | MessageFact | ErrorFact | NoAnswerFact | NothingFact

export interface Send {
  /** As the first witness saw it. */
  readonly fact: DispatchFact
  /** As every witness saw it, that one included. */
  readonly seen: DispatchFact[]
  readonly workerId: string
  /** The first that is heard of the task it names. */
  readonly isOpening: boolean
  /** That, and of v0.1, whose clients choose the ids of their tasks. */
  readonly isOldOpening: boolean
  outcome: DispatchOutcome
  taskId?: string
  answerPosition?: number
  /** The answers to the send itself, by every witness of them. */
  readonly answers: AnswerFact[]
  /** Set by an answer to the send itself, and not by a task found later. */
  isAnswered: boolean
}

/** Sends in order; those that are done are passed over for good. */
class Queue {
  readonly #sends: Send[] = []
  readonly #isDone: (send: Send) => boolean
  #first = 0

  constructor(isDone: (send: Send) => boolean) {
    this.#isDone = isDone
  }

  add(send: Send): void {
    this.#sends.push(send)
  }

  /** The first one that is not done and `fits`, of those sent before `moment` where one is given. */
  find(moment: Moment | undefined, fits: (send: Send) => boolean = () => true): Send | undefined {
    const sends = this.#sends
    for (let send = sends[this.#first]; send !== undefined && this.#isDone(send); send = sends[this.#first]) this.#first += 1
    for (let at = this.#first; ; at += 1) {
      const send = sends[at]
      if (send === undefined || (moment !== undefined && !isAfter(moment, send.fact))) return undefined
      if (!this.#isDone(send) && fits(send)) return send
    }
  }
}

const isAnswered = (send: Send): boolean => send.isAnswered

/** The entry of `key`, made where there is none. */
const at = <K, T>(map: Map<K, T>, key: K, make: () => T): T => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Sends to one worker, as one witness or all of them saw them, waiting for their answers. */
class OpenSends {
  #first: Send | undefined
  readonly #open = new Queue(isAnswered)
  readonly #free = new Queue((send) => send.isAnswered || send.taskId !== undefined)
  readonly #naming = new Map<string | undefined, Queue>()
  readonly #found = new Map<string | undefined, Send>()

  add(send: Send): void {
    this.#first ??= send
    this.#open.add(send)
    const { namedTaskId } = send.fact
    const queue = namedTaskId === undefined ? this.#free : at(this.#naming, namedTaskId, () => new Queue(isAnswered))
    queue.add(send)
  }

  /** A task turned up that must be of this send: no answer about another one is its own. */
  bind(send: Send, taskId: string): void {
    this.#found.set(taskId, send)
  }

  hasBefore(moment: Moment): boolean {
    return this.#first !== undefined && isAfter(moment, this.#first.fact)
  }

  /** The first open one, of those sent before `moment` where one is given. */
  oldest(moment: Moment | undefined): Send | undefined {
    return this.#open.find(moment)
  }

  /** The first open one that names the task of the answer, and was not found to have got another one. */
  naming(answer: AnswerFact): Send | undefined {
    return this.#naming.get(answer.taskId)?.find(answer, ({ taskId }) => taskId === undefined || taskId === answer.taskId)
  }

  /** The open one that the task was found to be of, else the first that names no task and has none. */
  fitting(answer: AnswerFact): Send | undefined {
    if (answer.taskId === undefined) return this.oldest(answer)
    const found = this.#found.get(answer.taskId)
    return found !== undefined && !found.isAnswered ? found : this.#free.find(answer)
  }

  /** The first open one without a task, whatever task it names: a worker may open a new one for it. */
  withoutTask(answer: AnswerFact): Send | undefined {
    return this.#open.find(answer, ({ taskId }) => taskId === undefined)
  }
}

/** Open sends to one worker, by who saw them; and which of them have a task. */
class OpenSendsOfWorker {
  readonly #all = new OpenSends()
  readonly #bySource = new Map<string, OpenSends>()
  readonly #byTask = new Map<string | undefined, Send[]>()

  add(send: Send): void {
    this.#all.add(send)
    for (const source of new Set(send.seen.map((fact) => fact.source))) at(this.#bySource, source, () => new OpenSends()).add(send)
  }

  bind(send: Send, taskId: string): void {
    at(this.#byTask, taskId, (): Send[] => []).push(send)
    for (const open of [this.#all, ...send.seen.flatMap(({ source }) => this.#bySource.get(source) ?? [])]) open.bind(send, taskId)
  }

  isSeenBy(source: string): boolean {
    return this.#bySource.has(source)
  }

  hasTask(taskId: string | undefined, before?: Moment): boolean {
    const sends = this.#byTask.get(taskId) ?? []
    return sends.some((send) => send.taskId === taskId && (before === undefined || isAfter(before, send.fact)))
  }

  /** The oldest open send of the answer's witness, else of any; one that names the task comes first. */
  answeredBy(answer: AnswerFact): Send | undefined {
    const own = this.#bySource.get(answer.source)
    const here = own?.hasBefore(answer) === true ? own : this.#all
    const named = here.naming(answer)
    if (named !== undefined || this.#isLaterUpdate(answer)) return named
    return here.fitting(answer) ?? (this.hasTask(answer.taskId) ? undefined : here.withoutTask(answer))
  }

  /** A further update of a task that already answers a send is no answer to another one. */
  #isLaterUpdate(answer: AnswerFact): boolean {
    return answer.kind === 'report' && answer.channel === 'update' && this.hasTask(answer.taskId, answer)
  }
}

/** Answers in order of time, of those that say the same about one worker. */
class Echoes {
  readonly #entries: { readonly atMs: number; readonly send: Send }[] = []

  add(atMs: number, send: Send): void {
    this.#entries.splice(this.#after(atMs), 0, { atMs, send })
  }

  /** Whose answer it is that others told of first, and only others, within the skew that we grant clocks. */
  find({ atMs, source }: AnswerFact): Send | undefined {
    const near = this.#entries.slice(this.#after(atMs - clockSkewMsMax), this.#after(atMs + clockSkewMsMax + 1))
    return near.find(({ send }) => send.answers.every((answer) => answer.source !== source))?.send
  }

  /** Index of the first entry at `atMs` or later. */
  #after(atMs: number): number {
    let [low, high] = [0, this.#entries.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#entries[middle]?.atMs ?? 0) < atMs) low = middle + 1
      else high = middle
    }
    return low
  }
}

const isOpenOutcome = ({ outcome }: Send): boolean => outcome === 'no-answer' || outcome === 'pending'

/** Every send of one logical task; made once all of them are known. */
export class Sends {
  readonly inOrder: readonly Send[]
  readonly #workers = new Map<string, OpenSendsOfWorker>()
  /** Without those whose message has an id: an answer that names another message is none of theirs. */
  readonly #unnamed = new Map<string, OpenSendsOfWorker>()
  readonly #unsettled = new Map<string, Queue>()
  /** Of v0.1, by the task whose id the client chose. */
  readonly #opening = new Map<string, Queue>()
  readonly #messages = new Map<string, OpenSends>()
  readonly #echoes = new Map<string, Echoes>()

  /** `dispatches` in order of time; `opening`: those that are the first that is heard of the task they name. */
  constructor(dispatches: readonly DispatchFact[], opening: ReadonlySet<DispatchFact>) {
    this.inOrder = sendsOf(dispatches, opening)
    for (const send of this.inOrder) {
      const { workerId, fact } = send
      at(this.#workers, workerId, () => new OpenSendsOfWorker()).add(send)
      if (send.isOldOpening) at(this.#opening, taskKey(workerId, fact.namedTaskId), () => new Queue((known) => !isOpenOutcome(known))).add(send)
      if (fact.sentMessageId === undefined) {
        at(this.#unnamed, workerId, () => new OpenSendsOfWorker()).add(send)
      } else {
        const key = messageKey(workerId, fact.sentMessageId)
        at(this.#messages, key, () => new OpenSends()).add(send)
        at(this.#unsettled, key, () => new Queue((known) => !isOpenOutcome(known))).add(send)
      }
    }
  }

  /** Told by a witness of no send to that worker: who saw the send as well knows better what it answers. */
  isByStranger({ workerId = '', source }: AnswerFact): boolean {
    return this.#workers.get(workerId)?.isSeenBy(source) !== true
  }

  /** The send that has got this answer already, as another witness told. */
  echoedBy(answer: AnswerFact): Send | undefined {
    return this.#echoes.get(wordsOf(answer))?.find(answer)
  }

  /**
   * By the message it names, else the oldest open send of that source, else of that worker. A named
   * send is found although its witness has a later clock; a send whose message is known to be another
   * one is not meant.
   */
  answeredBy(answer: AnswerFact): Send | undefined {
    const { workerId = '', messageId } = answer
    if (messageId === undefined) return this.#workers.get(workerId)?.answeredBy(answer)
    const named = this.#messages.get(messageKey(workerId, messageId))
    if (named !== undefined) return named.oldest(named.hasBefore(answer) ? answer : undefined)
    return this.#unnamed.get(workerId)?.answeredBy(answer)
  }

  /** The oldest send of the message, or the one that chose the task's id, without an outcome, where the task answers none yet. */
  foundBy({ workerId = '', taskId, historyMessageId, ...moment }: ReportFact): Send | undefined {
    if (this.#workers.get(workerId)?.hasTask(taskId) === true) return undefined
    return this.#unsettled.get(messageKey(workerId, historyMessageId))?.find(moment) ?? this.#opening.get(taskKey(workerId, taskId))?.find(moment)
  }

  /** To be told of the first answer to a send. */
  answer(send: Send, answer: AnswerFact): void {
    at(this.#echoes, wordsOf(answer), () => new Echoes()).add(answer.atMs, send)
  }

  /** To be told when a send gets its task. */
  bind(send: Send, taskId: string): void {
    this.#workers.get(send.workerId)?.bind(send, taskId)
    this.#unnamed.get(send.workerId)?.bind(send, taskId)
  }
}

const taskKey = (workerId: string, taskId: string | undefined): string => JSON.stringify([workerId, taskId])

const messageKey = (workerId: string, messageId: string | undefined): string => JSON.stringify([workerId, messageId])

/** One send a message and task, whoever of its witnesses told of it first. */
const sendsOf = (dispatches: readonly DispatchFact[], opening: ReadonlySet<DispatchFact>): readonly Send[] => {
  const sends: Send[] = []
  const alike = new Map<string, { readonly sends: Send[]; first: number }>()
  for (const fact of dispatches) {
    const { workerId, namedTaskId } = fact
    if (workerId === undefined) continue
    const words = wordsOfSend(fact)
    const group = at(alike, JSON.stringify([workerId, words ?? null, namedTaskId ?? null]), () => ({ sends: [], first: 0 }))
    const known = words === undefined ? undefined : sameSend(group, fact)
    if (known !== undefined) {
      known.seen.push(fact)
      continue
    }
    const send: Send = { fact, seen: [fact], workerId, outcome: 'pending', answers: [], isAnswered: false, isOpening: opening.has(fact), isOldOpening: opening.has(fact) && fact.protocolVersion === '0.1' }
    sends.push(send)
    group.sends.push(send)
  }
  return sends
}

/** What tells that two sends are of one message: its id; in v0.1, where messages have none and sends name their task, its content. */
const wordsOfSend = ({ sentMessageId, namedTaskId, protocolVersion, contentDigest }: DispatchFact): string | undefined =>
  sentMessageId ?? (namedTaskId !== undefined && protocolVersion === '0.1' ? contentDigest : undefined)

/** The same message to the same task of the same worker, told by a witness that has not told of this send yet. */
const sameSend = (group: { readonly sends: readonly Send[]; first: number }, { atMs, source }: DispatchFact): Send | undefined => {
  while (group.first < group.sends.length && atMs - (group.sends[group.first]?.fact.atMs ?? 0) > clockSkewMsMax) group.first += 1
  return group.sends.slice(group.first).find((send) => send.seen.every((seen) => seen.source !== source))
}

/** What an answer says, and whose: two witnesses of one answer tell the same. */
const wordsOf = (answer: AnswerFact): string => {
  const words = (...own: readonly (string | number | undefined)[]) => JSON.stringify([answer.workerId, answer.kind, ...own])
  switch (answer.kind) {
    case 'report':
      return words(answer.taskId, answer.state, answer.statusAtMs, answer.text)
    case 'message':
      return words(answer.taskId, answer.ownMessageId, answer.piece.digest)
    case 'error':
      return words(answer.name, answer.codeSpace, answer.code, answer.text)
    case 'no-answer':
      return words(answer.reason)
    case 'nothing':
      return words()
  }
}
