import type { TestedMutant } from './mutant.ts'

const GUEST_RULE = 'core/guests/guest-rule.ts'
const ENTRY_RULE = 'core/guests/entry-rule.ts'
const ACCESS = 'core/access.ts'
const SETTLE = 'core/event/rules/settle.ts'
const PLACE_GUESTS = 'server/src/postgres/tables/place-guests.ts'
const WHITELIST = 'server/src/http/routes/whitelist.ts'
const GUESTS = 'server/src/http/routes/guests.ts'
const OF_PLACES = 'server/src/events/guests-of-places.ts'

/** Who may have a place in a members' zone. */
export const GUEST_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'any guest will do',
    about: 'a guest needs neither a membership nor the whitelist',
    patches: [
      {
        file: GUEST_RULE,
        find: 'if (!hasGuests(zone) || guest.isOnWhitelist || isMember(zone, guest)) return null',
        by: 'if (zone) return null',
      },
    ],
    test: 'core/guests/guest-rule.test.ts',
  },
  {
    name: 'a membership that has ended counts',
    about: 'the status of a membership is not looked at',
    patches: [
      {
        file: ACCESS,
        find: "return membershipTier === zone.membershipTier && membershipStatus === 'active'",
        by: 'return membershipTier === zone.membershipTier && membershipStatus !== null',
      },
    ],
    test: 'core/guests/guest-rule.test.ts',
  },
  {
    name: 'ten places of one member',
    about: 'places without a guest are paid for, however many there are',
    patches: [{ file: GUEST_RULE, find: 'return own > 1 && unnamed.size > 0', by: 'return own > 1_000_000' }],
    test: 'core/guests/guest-rule.test.ts',
  },
  {
    name: 'an own place for each order',
    about: 'what a buyer has bought before does not count',
    patches: [{ file: OF_PLACES, find: 'hasOwnTicket: own > 0', by: 'hasOwnTicket: own < 0' }],
    test: 'server/test/guests.test.ts',
  },
  {
    name: 'guests are not asked for at the end of a payment',
    about: 'a ticket is issued for a guest whose membership has ended meanwhile',
    patches: [
      {
        file: SETTLE,
        find: 'zoneDenied(state, found.value, buyer) ?? guestsDenied(state, found.value, command.guests)',
        by: 'zoneDenied(state, found.value, buyer)',
      },
    ],
    test: 'core/event/refusals.test.ts',
  },
  {
    name: 'guests change while they are paid for',
    about: 'a checkout judges other guests than the tickets get',
    patches: [
      {
        file: GUESTS,
        find: "return checkout_id === null ? null : { kind: 'hold_in_payment' }",
        by: 'return checkout_id === null ? null : null',
      },
    ],
    test: 'server/test/guests.test.ts',
  },
  {
    name: 'a guest in two places',
    about: 'two members name the same person for two places',
    patches: [
      {
        file: OF_PLACES,
        find: "return taken === null ? ok(null) : refuse({ kind: 'guest_already_named', place: taken })",
        by: 'return taken === null ? ok(null) : ok(null)',
      },
    ],
    test: 'server/test/guests.test.ts',
  },
  {
    name: 'an ended hold keeps its guests',
    about: 'a person who was named for a hold that has ended can not be named again',
    patches: [
      {
        file: PLACE_GUESTS,
        find: "and (s.status = 'sold' or s.held_until > clock_timestamp()))",
        by: ') and false',
      },
    ],
    test: 'server/test/guests.test.ts',
  },
  {
    name: 'the gate forgets the own place',
    about: 'a member comes in by each of their places without a guest',
    patches: [
      { file: ENTRY_RULE, find: 'if (!hasEnteredElsewhere) return null', by: 'if (zone) return null' },
    ],
    test: 'core/guests/guest-rule.test.ts',
  },
  {
    name: 'the gate asks for no membership',
    about: 'a guest who was taken off the whitelist comes in',
    patches: [
      {
        file: ENTRY_RULE,
        find: "if (!mayBeHere) return 'membership_not_active'",
        by: "if (!mayBeHere && !zone) return 'membership_not_active'",
      },
    ],
    test: 'core/guests/guest-rule.test.ts',
  },
  {
    name: 'one whitelist for all events',
    about: 'a person who is on the whitelist of one event is let into the zones of another',
    patches: [
      {
        file: 'server/src/postgres/tables/whitelist.ts',
        find: 'and w.event_id = q.event_id and w.email_key = u.email_key',
        by: 'and w.email_key = u.email_key',
      },
    ],
    test: 'server/test/whitelist.test.ts',
  },
  {
    name: 'the whitelist believes what was typed',
    about: 'a person who signs up with an address on the whitelist is let in, whether they read it or not',
    patches: [
      {
        file: 'server/src/postgres/tables/whitelist.ts',
        find: 'and u.id = q.user_id and u.email_proven_at is not null',
        by: 'and u.id = q.user_id',
      },
    ],
    test: 'server/test/proven-addresses.test.ts',
  },
  {
    name: 'a membership of an address that was only typed',
    about: 'an imported membership counts for an account that has not confirmed its address',
    patches: [
      { file: ACCESS, find: 'return email === null || isEmailProven', by: 'return isEmailProven !== null' },
    ],
    test: 'core/access.test.ts',
  },
  {
    name: 'any link confirms any account',
    about: 'a stranger confirms the address that they typed with a link that went to their own',
    patches: [
      {
        file: 'server/src/accounts/prove-address.ts',
        find: 'if (owner !== userId) return refuse(OTHER_ACCOUNT)',
        by: 'if (owner === null) return refuse(OTHER_ACCOUNT)',
      },
    ],
    test: 'server/test/proven-addresses.test.ts',
  },
  {
    name: 'a whitelist without an end',
    about: 'the number of entries is not looked at',
    patches: [{ file: WHITELIST, find: 'if (counts.total > MAX_WHITELIST)', by: 'if (counts.total < 0)' }],
    test: 'server/test/whitelist.test.ts',
  },
  {
    name: 'two who add at once pass the limit',
    about: 'those who change a whitelist do not wait for each other',
    patches: [
      {
        file: 'server/src/postgres/tables/whitelist.ts',
        find: 'where organization_id = $1 and id = $2 for no key update',
        by: 'where organization_id = $1 and id = $2',
      },
    ],
    test: 'server/test/whitelist.test.ts',
  },
]
