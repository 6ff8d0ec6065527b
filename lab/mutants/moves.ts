import type { TestedMutant } from './mutant.ts'

const RULE = 'core/event/rules/move-tickets.ts'
const RULE_TEST = 'core/event/rules/move-tickets.test.ts'
const MOVE = 'server/src/events/move-order.ts'
const test = 'server/test/move-order.test.ts'

/** Tickets that staff move to other seats. */
export const MOVE_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'a move frees nothing',
    about: 'the old ticket stays valid beside the new one',
    patches: [
      {
        file: RULE,
        find: 'for (const { ticket, reason } of moves) made.voidTicket(ticket, reason)',
        by: '',
      },
    ],
    test: RULE_TEST,
  },
  {
    name: 'a move takes a seat that is held',
    about: 'whether the seats are free is not looked at',
    patches: [{ file: RULE, find: 'takenSeats(state, to, now) ??', by: '' }],
    test: RULE_TEST,
  },
  {
    name: 'half a table moves',
    about: 'what was sold as a whole is left in part',
    patches: [
      { file: RULE, find: 'brokenWholes(state, from, ordinal => from.includes(ordinal)) ??', by: '' },
    ],
    test: RULE_TEST,
  },
  {
    name: 'a companion seat of a place that is left',
    about: 'the wheelchair place that a buyer leaves keeps its companion seat for them',
    patches: [{ file: RULE, find: 'taken: to, left: from, isOrder', by: 'taken: to, isOrder' }],
    test: RULE_TEST,
  },
  {
    name: 'a move fills the zone',
    about: 'a seat that is left still counts as taken when companion seats are released',
    patches: [
      {
        file: 'core/event/rules/companions.ts',
        find: "else if (change.kind === 'seat_hold_expired' || change.kind === 'ticket_voided') taken -= 1",
        by: "else if (change.kind === 'seat_hold_expired') taken -= 1",
      },
    ],
    test: RULE_TEST,
  },
  {
    name: 'a move to a dearer seat',
    about: 'what the seats cost is not compared',
    patches: [{ file: MOVE, find: 'if (dearer.length > 0) {', by: 'if (dearer.length < 0) {' }],
    test,
  },
  {
    name: 'a ticket moves while a gate lets its holder in',
    about: 'the entries of tickets are read without a lock on them',
    patches: [
      {
        file: 'server/src/postgres/tables/tickets.ts',
        find: 'w (id)))\n     order by id for no key update`',
        by: 'w (id)))`',
      },
      {
        file: 'server/src/postgres/tables/tickets.ts',
        find: 'any ($2::uuid[]) order by id for no key update`',
        by: 'any ($2::uuid[])`',
      },
    ],
    test,
  },
  {
    name: 'a used ticket moves',
    about: 'whether someone came in with a ticket is not asked',
    patches: [{ file: MOVE, find: 'if (used.length > 0) return', by: 'if (used.length < 0) return' }],
    test,
  },
  {
    name: 'the line of a moved ticket stays behind',
    about: 'the order goes on with the ticket that is void',
    patches: [
      {
        file: 'server/src/postgres/tables/order-changes.ts',
        find: 'update order_lines l set ticket_id = m.after',
        by: 'update order_lines l set ticket_id = m.before',
      },
    ],
    test,
  },
  {
    name: 'guests stay behind',
    about: 'the guest of a place that was moved is not taken along',
    patches: [{ file: MOVE, find: 'await takeGuestsAlong(tx, moves.value)', by: 'void takeGuestsAlong' }],
    test,
  },
]
