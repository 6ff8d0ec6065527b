import type { Verb, VerbInput } from '../verb.ts'
import { Deployment, type Harm, isHarmed, nameOf, SETUPS, type Setup } from './deployments.ts'
import { LOADS, type Load, measureOn, type NodesFigures } from './measure.ts'
import { printNodes, problemsOf, quotesOf, summarize } from './report.ts'

/**
 * Nodes beside each other on one Postgres, without a Redis and with one, and with one that is harmed in the
 * middle. All installations run all the time and are measured in turn, several rounds, each round in the
 * opposite order of the one before: a machine that gets slower meanwhile favours none of them.
 */
export const nodes: Verb = {
  summary: `holds on one node and on two, and with a Redis that is killed and paused: ${SETUPS.map(
    (setup, index) => `${index + 1} ${nameOf(setup)}`,
  ).join('; ')}`,
  options: {
    setups: { default: '1,2,3,4,5,6,7', quick: '1,7', help: 'which of these installations, by number' },
    rounds: { default: '3', quick: '1', help: 'of every figure' },
    'harm-rounds': { default: '2', quick: '1', help: 'of the figures with a harm' },
    seconds: { default: '3', quick: '0', help: 'for each figure' },
    'harm-seconds': { default: '9', quick: '0', help: 'with a harm, which comes after a third of them' },
    connections: { default: '200', quick: '10', help: 'at once' },
    events: { default: '10', quick: '2', help: 'on sale at once, where it is not one' },
    seats: { default: '20000', quick: '500', help: 'of an event; a fifth where several are on sale' },
    guests: { default: '2000', quick: '200', help: 'who ask, each from an address of their own' },
  },
  async run(input) {
    const figures = await measureAll(input)
    const rows = summarize(figures)
    return {
      table: printNodes(rows),
      figures: { rows, measurements: figures },
      problems: problemsOf(figures),
      quotes: quotesOf(rows),
    }
  },
}

/** So small that it only shows that it works. */
const QUICK_SECONDS = 0.3
const QUICK_HARM_SECONDS = 1.5
const WARM_UP_SECONDS = 2

async function measureAll(input: VerbInput): Promise<NodesFigures[]> {
  const { quick, list, number, stage, say } = input
  const setups = SETUPS.filter((_, index) => list('setups').includes(index + 1))
  const seconds = number('seconds') || QUICK_SECONDS
  const harmSeconds = number('harm-seconds') || QUICK_HARM_SECONDS
  const deployments = new Map<Setup, Deployment>()
  const figures: NodesFigures[] = []
  const measure = async (setup: Setup, load: Load, harm: Harm | null, round: number) => {
    const what = { load, harm, round, seconds: harm ? harmSeconds : seconds }
    const deployment = deployments.get(setup)!
    const measured = await measureOn(deployment, what, input)
    figures.push(measured)
    say(
      `  ${[nameOf(setup), load, ...(harm ? [harm] : [])].join(', ')}: ` +
        `${Math.round(measured.perSecond).toLocaleString('en')} holds/s, p99 ${Math.round(measured.p99Ms)} ms`,
    )
    if (harm) await deployment.heal(harm)
  }
  try {
    for (const setup of setups) {
      say(`Starting ${nameOf(setup)} …`)
      const deployment = await Deployment.start(stage, setup)
      deployments.set(setup, deployment)
      await deployment.ready()
      // Not counted: code is compiled, buyers sign in, connections are opened.
      for (const load of quick ? [] : LOADS) {
        const warmUp = { load, harm: null, round: 0, seconds: WARM_UP_SECONDS }
        await measureOn(deployment, warmUp, input)
      }
    }
    for (let round = 1; round <= number('rounds'); round += 1) {
      say(`Round ${round} …`)
      for (const load of LOADS) {
        for (const setup of round % 2 === 1 ? setups : [...setups].reverse()) {
          await measure(setup, load, null, round)
        }
      }
    }
    // Apart from the others: nodes that have lost Redis tell each other by both ways for a while.
    const without = setups.filter(({ redis }) => !redis)
    for (let round = 1; round <= number('harm-rounds'); round += 1) {
      say(`Round ${round} with harm …`)
      for (const harm of ['killed', 'paused'] as const) {
        for (const setup of without) await measure(setup, 'one event', null, number('rounds') + round)
        for (const setup of setups.filter(isHarmed)) {
          await measure(setup, 'one event', harm, number('rounds') + round)
        }
      }
    }
    return figures
  } finally {
    for (const deployment of deployments.values()) await deployment.stop()
  }
}
