import type { Problem, RefusalCode } from '@voelgoed/client'
import { checkoutEn, orderEn, payEn } from './checkout-en.ts'
import { clockFace, type Format, hasSeveral } from './format.ts'
import { ofStaff, type StaffRefusal } from './staff-refusals.ts'

/**
 * Each tells the person in front of the screen why the server refused, and what they can do now. The
 * console has the words of those that only staff meet.
 */
type BuyerRefusals = Readonly<Record<Exclude<RefusalCode, StaffRefusal>, (problem: Problem) => string>>

const count = (value: unknown) => (typeof value === 'number' ? value : 0)
/** Returns how a section is closed to the buyer. */
const modeOf = (required: unknown) => (required as { readonly mode?: string } | undefined)?.mode

/** Seats of one row that are offered. */
export interface OfferedPart {
  readonly row: string
  readonly count: number
}

export interface FoundPart {
  readonly zone: string
  readonly row: string
  readonly numbers: readonly string[]
}

export function en(format: Format) {
  const n = format.number
  const seats = (many: number) => `${n(many)} ${many === 1 ? 'seat' : 'seats'}`
  const places = (many: number) => `${n(many)} ${many === 1 ? 'place' : 'places'}`
  const duration = (seconds: number) => {
    if (seconds < 90) return `${n(seconds)} ${seconds === 1 ? 'second' : 'seconds'}`
    if (seconds < 5400) return `${n(Math.round(seconds / 60))} minutes`
    return `${n(Math.round(seconds / 3600))} hours`
  }
  const withWait = (without: string, sentence: (wait: string) => string, { retry_after }: Problem) =>
    count(retry_after) > 0 ? sentence(duration(count(retry_after))) : without
  const refusals: BuyerRefusals = {
    invalid_request: () =>
      'That did not go through as it should. Check what you entered, or reload the page.',
    event_not_available: () => 'This event is not on sale at the moment. Look for another date.',
    event_sales_closed: () => 'Sales for this event are not open now. See the top of the page.',
    unauthorized: () => 'You are not signed in any more. Reload the page, and sign in again.',
    forbidden: () => 'Your account may not do this. Sign in with another one.',
    second_factor_required: () => 'Type the code of your authenticator app as well, or a recovery code.',
    second_factor_wrong: () => 'This code is not right, or was used before. Wait for the next one.',
    second_factor_needed: () =>
      'Your organization asks its staff for a second factor. Set it up in the console.',
    password_sign_in_off: () =>
      'Staff of this organization can’t sign in with a password. Use the button of its identity provider.',
    identity_provider_refused: () =>
      'Your identity provider did not let you in. Start again, or ask an admin of your organization.',
    identity_provider_unavailable: () =>
      'The identity provider of your organization gives no usable answer. Try again in a moment.',
    account_disabled: () => 'This account has been disabled. Ask the organizer why.',
    organization_suspended: () =>
      'Sales of this organizer are paused by the platform. Tickets that you have stay valid.',
    zone_access_denied: ({ required }) =>
      modeOf(required) === 'whitelist'
        ? 'These places are for people whom the organizer has invited. Sign in with the address that was invited, or choose another section.'
        : 'These places are for members. Sign in with a member’s account, or choose another section.',
    not_found: () => 'There is nothing here. Go back to the list of events.',
    organization_not_found: () => 'There is no organizer with this short name. Check the link.',
    user_not_found: () => 'This account no longer exists. Sign in with another one.',
    event_not_found: () => 'This event does not exist, or no longer exists. Go back to the list of events.',
    zone_not_found: () => 'This section is not part of the event any more. Reload the page.',
    seat_not_found: () => 'This seat is not part of the event any more. Reload the page.',
    hold_not_found: () => 'These seats are no longer held for you. Choose again.',
    already_exists: () => 'There is an account with this email address already. Sign in instead.',
    seat_held_by_another_user: problem =>
      `Someone was a moment quicker. The seat may be free again in ${duration(count(problem.expires_in))}.`,
    seat_not_available: () => 'This seat has gone. Choose another one.',
    zone_not_sold: () => 'This section is not on sale for this event. Choose another one.',
    zone_at_capacity: problem =>
      count(problem.available) > 0
        ? `There are only ${places(count(problem.available))} left here. Ask for fewer.`
        : 'There is nothing left here. Choose another section.',
    invalid_transition: () => 'This is not possible at the moment. Reload the page.',
    idempotency_key_in_use: () => 'Your request is still on its way. Wait a moment.',
    hold_in_payment: () => 'These seats are being paid for. Finish or cancel the payment first.',
    carts_end_too_far_apart: () =>
      'The seats you chose as a guest cannot join those of your account. Book one of the two first.',
    ticket_not_found: () => 'This ticket does not exist, or is not yours.',
    order_not_found: () => 'We could not find this order. Check the number, or open the link in the email.',
    hold_sold: () => 'These places have been sold already. Look for their order, or choose other places.',
    ticket_void: () => 'This ticket was refunded or moved already. Reload the order.',
    nothing_to_pay_for: () => 'You have no seats to pay for. Choose some first.',
    not_priced: () => 'Some of these seats cannot be paid for here. Ask the organizer.',
    no_gateway: () =>
      'This page can’t take payments. Buy your tickets on the organizer’s own website, or ask the organizer.',
    checkout_closed: ({ current_status }) =>
      current_status === 'paid'
        ? 'Your payment went through meanwhile. The tickets are yours.'
        : 'This checkout is over. Choose your seats again.',
    payment_undecided: () => 'The bank has your payment, and has not decided yet. Wait until it has.',
    total_changed: () => 'The price is another than the one you saw. You were not charged. Look at it again.',
    total_too_large: () =>
      'This costs more than can be paid at once. Give some seats back, and buy them after these.',
    hold_changed: () => 'Your places have changed. Look at them again before you pay.',
    hold_not_reducible: () => 'You can only ask for fewer places than you have.',
    hold_expired: () => 'Your time for these seats has run out. Choose again if they are still free.',
    payload_too_large: () => 'That was too much at once. Choose fewer seats.',
    unsupported_media_type: () => 'This page is out of date. Reload it.',
    idempotency_key_reused: () => 'This page is out of date. Reload it.',
    too_many_seats: problem =>
      `You can book ${seats(count(problem.limit))} at most. Release one to choose another.`,
    quota_exceeded: problem =>
      problem.quota === 'max_wheelchair_seats_per_booking'
        ? `You can book ${n(count(problem.limit))} wheelchair ${count(problem.limit) === 1 ? 'place' : 'places'} at most. Ask the organizer for more.`
        : withWait(
            'You have taken as many as you may for now. Release something, or try again later.',
            wait => `You have taken as many as you may for now. Try again in ${wait}.`,
            problem,
          ),
    rate_limited: problem =>
      withWait(
        'There were too many attempts in a short time. Wait a moment and try again.',
        wait => `There were too many attempts in a short time. Try again in ${wait}.`,
        problem,
      ),
    internal_error: () =>
      'Something went wrong on our side. Reload the page and see what was done before you try again.',
    busy: () => 'Very many people are here just now. Try again in a moment.',
    database_unavailable: () => 'Our system is not available for a moment. Try again soon.',
    outcome_unknown: () =>
      'The connection was lost, and it may have worked. Reload the page and look before you try again.',
    companion_reserved: () =>
      'This seat is kept for the companion of the wheelchair place beside it. Choose another one.',
    sold_as_a_whole: problem =>
      Array.isArray(problem.seat_ids)
        ? `These ${seats(problem.seat_ids.length)} are sold together. Take all of them, or none.`
        : 'These seats are sold together. Take all of them, or none.',
    no_suitable_seats: ({ reason }) =>
      reason === 'not_together'
        ? 'There are not enough seats side by side. Look for fewer, or allow seats apart.'
        : reason === 'no_wheelchair_place'
          ? 'There are not enough wheelchair places, or not enough seats beside them. Look for fewer, or ask the organizer.'
          : reason === 'none_within_price'
            ? 'There are not enough seats at this price. Look for fewer, or choose another price.'
            : 'There are not enough seats left. Look for fewer.',
    would_strand_seats: () =>
      'This would leave a single seat alone. Take that seat as well, or choose other seats.',
    guest_not_allowed: () =>
      'This guest cannot have the place: guests here are members, or on the list of the organizer.',
    guests_not_named: () =>
      'Name a guest for every place but your own, or release the places you do not need.',
    guest_already_named: () => 'This guest has a place already. Name another one.',
    guests_not_asked_for: () => 'You don’t need to name guests for these places.',
  }
  return {
    refusals: { ...ofStaff(refusals.invalid_transition), ...refusals },
    language: 'Language',
    skip: 'Skip to the content',
    loading: 'Loading …',
    reload: 'Reload',
    close: 'Close',
    field: {
      missing: 'Fill this in.',
      short: (least: number) => `Use at least ${n(least)} characters.`,
    },
    notShown: 'This page can’t be shown now',
    unreachable: 'We can’t reach the server.',
    tryingAgain: 'We keep trying. You don’t need to do anything.',
    seats,
    places,
    placesIn: (many: number, section: string) => `${places(many)} in ${section}`,
    home: {
      title: 'Choose your seats',
      explain:
        'Every organizer has a page of its own here. Open it with the link on the poster or in your email.',
      label: 'Link or short name of the organizer',
      eyebrow: 'VoelgoedEvents',
      hint: (address: string) => `The short name is the end of the link: “voelgoed” in ${address}.`,
      opens: (address: string) => `Opens ${address}`,
      unclear: 'Write the short name with letters or digits, or paste the whole link.',
      go: 'Open the page',
      recent: 'Recently visited',
    },
    money: format.money,
    price: (amount: number, currency: string) => format.price(amount, currency),
    storefront: {
      from: (price: string) => `From ${price}`,
      title: 'Events',
      lead: 'Choose exactly where you want to sit, and pay online.',
      search: 'Search an event or a venue',
      nextUp: 'Next up',
      all: 'All events',
      past: 'Past events',
      noMatch: (text: string) => `Nothing matches “${text}”`,
      tryOther: 'Try part of the name, or the venue.',
      showAll: 'Show all events',
      none: 'Nothing on sale right now',
      noneExplain: 'New events appear here as soon as they are announced.',
      left: (left: number, total: number) => `${n(left)} of ${n(total)} left`,
      soldOut: 'Nothing left at the moment',
      inCarts: 'All in carts: some may come back',
      badge: {
        open: 'On sale',
        few: (left: number) => `Only ${n(left)} left`,
        soldOut: 'Sold out',
        carts: 'All in carts',
        not_yet: 'Opens soon',
        closed: 'Sales closed',
        paused: 'Sales paused',
        cancelled: 'Cancelled',
        over: 'Past',
        draft: 'Draft',
      },
      choose: 'Choose seats',
      wait: 'Wait for a seat',
      look: 'Look at the hall',
      details: 'Details',
      held: (many: number) => `You hold ${seats(many)}`,
      more: 'More events',
      noDate: 'Date to be announced',
      until: (first: string, last: string) => `${first} to ${last}`,
    },
    event: {
      back: 'Events',
      map: 'Map',
      list: 'List',
      view: 'Show the hall as',
      mapLabel: 'Map of the hall',
      mapKeys:
        'Arrow keys go from seat to seat, Page Up and Page Down from row to row, Home and End to the ends of a row. Enter takes a seat or releases it. Plus and minus zoom, Escape shows the whole hall. The list has everything that is on the map.',
      listLabel: 'All sections, rows and seats',
      legend: 'Legend',
      prices: 'Prices',
      whereToSit: 'Where to sit',
      members: 'Members only',
      connecting: 'Checking which seats are free …',
      live: 'Live',
      offline: 'No connection. What you see may be out of date.',
      backOnline: 'Connected again. Everything is up to date.',
      level: 'Level',
      zoomIn: 'Zoom in',
      zoomOut: 'Zoom out',
      fit: 'Whole hall',
      free: (many: number) => `${n(many)} free`,
      full: 'Sold out',
      notOnSale: 'Not on sale',
      section: (from: string | null, left: number) =>
        from === null ? `${n(left)} left` : `from ${from} · ${n(left)} left`,
    },
    about: {
      doors: (time: string) => `Doors ${time}`,
      share: 'Share',
      calendar: 'Add to calendar',
      copied: 'Link copied',
      notCopied: (link: string) => `Copy this link: ${link}`,
      about: 'About this event',
      more: 'More about this event',
      less: 'Show less',
    },
    sale: {
      open: 'Sales are open. Choose your seats.',
      unknown: 'Checking whether sales are open …',
      not_yet: 'Sales have not opened yet.',
      closed: 'Sales for this event are closed.',
      paused: 'Sales are paused by the platform. Tickets that you have stay valid.',
      cancelled: 'This event has been cancelled.',
      over: 'This event is over.',
      draft: 'This event is not on sale.',
      opensIn: 'Sales open in',
      opensAt: (when: string) => `On ${when}.`,
      countdown: (seconds: number) =>
        seconds < 86_400
          ? clockFace(seconds)
          : `${n(Math.floor(seconds / 86_400))} ${seconds < 172_800 ? 'day' : 'days'} ${clockFace(seconds % 86_400)}`,
      releasedHolds: (what: string) => `No longer held for you: ${what}.`,
      otherEvents: 'See other events',
    },
    time: {
      there: (time: string, city: string) => `${time} (${city} time)`,
      here: (time: string) => `= ${time} your time`,
    },
    status: {
      free: 'free',
      held: 'held by someone',
      sold: 'sold',
      blocked: 'not for sale',
      mine: 'held for you',
      pending: 'on its way',
    },
    legend: {
      mine: 'yours',
      held: 'in a cart',
      sold: 'sold',
      blocked: 'not for sale',
      alone: 'would be left alone',
    },
    category: {
      standard: 'seat',
      wheelchair: 'wheelchair place',
      companion: 'companion seat',
      restricted_view: 'restricted view',
      aisle: 'aisle seat',
    },
    zoneType: {
      reserved_seating: 'Numbered seats',
      ga_seated: 'Unnumbered seats',
      ga_standing: 'Standing',
      vip_reserved: 'Members, numbered seats',
      vip_standing: 'Members, standing',
    },
    list: {
      row: (row: string) => `Row ${row}`,
      seat: (row: string, number: string) => `Row ${row}, seat ${number}`,
      zoneFree: (free: number, capacity: number) => `${n(free)} of ${n(capacity)} free`,
      rowFree: (free: number) => (free === 0 ? 'nothing free' : `${n(free)} free`),
      aisle: 'aisle',
      search: 'Find a section, a row or a seat',
      searchHint: 'e.g. C 12',
      /** Words that buyers type besides what they look for. */
      ignored: ['row', 'seat', 'section'] as readonly string[],
      kind: 'Show',
      allKinds: 'All seats',
      found: (sections: number) => `Found in ${n(sections)} ${sections === 1 ? 'section' : 'sections'}.`,
      nothingFound: 'Nothing found. Try a section, a row, or a row and a number.',
      onlyFree: 'Only where something is free',
      showOnMap: 'Show on the map',
      noneFree: 'Nothing is free at the moment.',
    },
    seatCard: {
      section: 'Section',
      row: 'Row',
      seat: 'Seat',
      name: (zone: string, row: string, number: string) => `${zone}, row ${row}, seat ${number}`,
      rows: (first: string, last: string) => (first === last ? `row ${first}` : `rows ${first}–${last}`),
      atAisle: 'at an aisle',
      unknown: 'not known yet',
      add: (price: string | null) => (price === null ? 'Add seat' : `Add seat · ${price}`),
      companion: (row: string, number: string) => `Goes with row ${row}, seat ${number}`,
      type: 'Ticket type',
      keptBeside: (row: string, number: string) =>
        `The seat beside it (row ${row}, seat ${number}) is kept for your companion.`,
      addCompanion: 'Add the companion seat',
      addBoth: (price: string | null) => (price === null ? 'Add both' : `Add both · ${price}`),
      placeAlone: 'The companion seat was not available. The wheelchair place is held for you.',
      waiting: 'We are checking which seats are free …',
      waitingOffline: 'Without a connection we cannot see which seats are free.',
    },
    stageView: {
      show: 'View from here',
      hide: 'Hide the view',
      label: 'The stage as it is seen from here',
      drawn: 'Drawn from the plan, not a photo.',
      said: (metres: number, side: 'left' | 'middle' | 'right') =>
        `About ${n(metres)} m from the stage, ${side === 'middle' ? 'near the middle' : `${side} of the middle`}`,
    },
    zone: {
      each: (price: string) => `${price} a place`,
      howMany: 'How many?',
      fewer: 'One fewer',
      more: 'One more',
      take: (many: number) => `Hold ${places(many)}`,
      limit: (many: number) => `You can book ${places(many)} at most.`,
      noneForYou: 'You hold as many as you can book. Release some to choose others.',
      members: 'These places are for members.',
      signInFirst: 'Sign in to take them.',
      left: (many: number) => (many === 0 ? 'Nothing left at the moment' : `${places(many)} left`),
    },
    find: {
      title: 'Find more seats',
      quantity: 'How many tickets?',
      together: 'Side by side only',
      wheelchair: 'Of these, wheelchair places',
      companions: 'Of these, companion seats',
      zone: 'Where',
      anywhere: 'Anywhere',
      go: 'Find the best for me',
      price: 'Price each',
      anyPrice: 'Any price',
      more: 'More options',
      upTo: (price: string) => `up to ${price}`,
      best: 'Best for you',
      offer: (parts: readonly OfferedPart[], isTogether: boolean): string => {
        const [first] = parts
        if (isTogether && parts.length === 1) {
          return first!.count === 1
            ? `1 seat in row ${first!.row}`
            : `${n(first!.count)} together in row ${first!.row}`
        }
        return parts.map(({ row, count }) => `${n(count)} in row ${row}`).join(', ')
      },
      where: (zone: string, numbers: string, count: number) =>
        `${zone}, ${count === 1 ? 'seat' : 'seats'} ${numbers}`,
      each: (price: string) => `${price} each`,
      take: 'Take these',
      change: 'Change what I look for',
      noClockYet: 'The clock starts when you take them.',
      others: 'Other seats',
      busy: 'Looking for seats …',
      noRoom: 'You hold as many as you can book. Release some to find others.',
      found: (parts: readonly FoundPart[], isTogether: boolean): string =>
        `Held for you: ${parts
          .map(({ zone, row, numbers }) => {
            const beside = isTogether && numbers.length > 1 ? ' side by side' : ''
            return `${seats(numbers.length)}${beside} in ${zone}, row ${row} (${numbers.join(', ')})`
          })
          .join('; ')}.`,
      fewer: (many: number) => (many === 1 ? 'Look for 1 seat' : `${seats(many)} side by side are left`),
      apart: 'Any places, not side by side',
      inZone: (zone: string) => `In ${zone}`,
      takeWhole: (many: number) => `Take all ${seats(many)}`,
    },
    advice: {
      /** These are in a row that the buyer has seats in; other seats are named in full. */
      alone: (numbers: readonly string[]) =>
        `${numbers.length === 1 ? 'Seat' : 'Seats'} ${format.list(numbers)} would be left alone.`,
      aloneNamed: (seatNames: readonly string[]) => `${seatNames.join(' · ')} would be left alone.`,
      add: (numbers: readonly string[]) =>
        `Add ${numbers.length === 1 ? 'seat' : 'seats'} ${format.list(numbers)}`,
      change: (numbers: readonly string[]) =>
        `Take ${numbers.length === 1 ? 'seat' : 'seats'} ${format.list(numbers)} instead`,
      changeNamed: (labels: readonly string[]) => `Take ${format.list(labels)} instead`,
      changed: 'Your seats are changed.',
      companion: (seat: string) => `A companion seat beside your wheelchair place (${seat}) is kept for you.`,
      takeCompanion: 'Take the companion seat',
    },
    panel: {
      total: 'Total',
      taxIncluded: (tax: string) => `Included: ${tax}`,
      title: 'Your seats',
      none: 'Nothing chosen yet. Tap a seat on the map, or choose one from the list.',
      timeLeft: 'Time left',
      keptForYou: 'kept for you',
      keptBesides: (many: number) => `for your ${n(many)} ${many === 1 ? 'ticket' : 'tickets'}`,
      noPrices: (organizer: string) =>
        `This page sells no tickets for this event. ${organizer} does: ask there while your seats are kept.`,
      tickets: (many: number) => `${n(many)} ${many === 1 ? 'ticket' : 'tickets'}`,
      more: (type: string) => `One more ${type}`,
      less: (type: string) => `One fewer ${type}`,
      /** `seatNumbers` in brief: `5`, `5, 6`, `21–24`. */
      rowSeats: (row: string, seatNumbers: string) =>
        `Row ${row}, ${hasSeveral(seatNumbers) ? 'seats' : 'seat'} ${seatNumbers}`,
      heldFor: (time: string) => `Held for you for another ${time}`,
      hurry: 'Not much time left',
      extend: 'More time',
      extended: (seconds: number) => `You have ${duration(seconds)} now.`,
      noMoreTime: 'These seats can’t be held any longer. Pay before the time runs out.',
      release: 'Release',
      releaseAll: 'Release all',
      released: (what: string) => `Released: ${what}.`,
      show: 'Show',
      fewer: 'One fewer',
      unfold: 'Show my seats',
      fold: 'Hide my seats',
      noneShort: 'nothing chosen',
      checking: 'Checking with the server what you hold …',
      lastKnown: 'From your last visit. We check it as soon as there is a connection.',
      soon: (seconds: number) => `${duration(seconds)} left for your seats.`,
      underWay: 'Payment under way',
      notPaid: 'Not paid yet',
      deciding:
        'Your bank is deciding. Until then your seats stay as they are; you will not be charged twice.',
      unpaid: 'You were not charged. Go on paying, or change your seats: then you begin again.',
      goOn: 'Continue',
      changeSeats: 'Change seats',
      freed:
        'That payment is over, and you were not charged. Your seats are kept: change them, then check out.',
      bought: 'Your payment went through. The tickets are yours.',
    },
    taken: {
      held: (what: string) => `Held for you: ${what}.`,
      isHeld: (what: string) => `${what} is held by someone else just now.`,
      isSold: (what: string) => `${what} is sold.`,
      isBlocked: (what: string) => `${what} is not for sale.`,
      isNearby: 'Close by and free:',
      takeThese: (what: string) => `Take ${what}`,
      unknown: 'We do not know yet whether that went through. We are asking the server.',
      offline: 'Without a connection no seat can be taken. Try again when you are back.',
    },
    expired: {
      title: 'Your time has run out',
      explain: 'These are on sale again:',
      again: 'Take them again',
      dismiss: 'Choose others',
    },
    account: {
      guest: 'Sign in',
      signIn: 'Sign in',
      signUp: 'Create an account',
      signOut: 'Sign out',
      email: 'Email address',
      password: 'Password',
      code: 'Code of your app, or a recovery code',
      passwordHint: 'At least 8 characters',
      wrongPassword: 'The email address and the password do not match. Try again.',
      forgot: 'Forgot your password?',
      change: 'Change your password',
      noAccount: 'New here?',
      haveAccount: 'Already have an account?',
      signedIn: (email: string) => `You are signed in as ${email}.`,
      movedHolds: 'Your seats are now in your account.',
      stays:
        'The seats you chose before you signed in could not be moved to your account. They stay held until their time runs out.',
      staysBecause: (code: string): string =>
        code === 'too_many_seats'
          ? 'Together with what your account holds they are more than you can book.'
          : code === 'zone_access_denied'
            ? 'They are in a section that your account may not book.'
            : 'The event does not allow it at the moment.',
      bringAgain: 'Try again',
      releaseThem: 'Release them',
      stillHeld: (many: number) => `${seats(many)} held for you`,
      leaveHolds:
        'If you sign out now, they stay held for your account until the time runs out. To other people they look taken, and this browser shows them as held by someone.',
      ticketsHere: (many: number) =>
        `${many === 1 ? '1 ticket is' : `${many} tickets are`} kept on this device. When you sign out:`,
      keepTickets: 'Keep them here: anyone with this device can open them',
      removeTickets: 'Remove them: they come back when you sign in',
      releaseAndLeave: 'Release them and sign out',
      keepAndLeave: 'Keep them and sign out',
      notReleased: 'They could not be released. You are still signed in; try again.',
    },
    password: {
      title: {
        ask: 'Forgot your password?',
        reset: 'Choose a new password',
        change: 'Change your password',
        confirm: 'Confirm your email address',
      },
      about: {
        ask: 'Type the email address of your account. If there is an account, we send it a link to choose a new password.',
        reset: 'You will be signed out everywhere, and can sign in with the new password.',
        change: 'You will be signed out everywhere else, and we tell you by email.',
      },
      submit: {
        ask: 'Send me a link',
        reset: 'Save the new password',
        change: 'Change the password',
        confirm: 'Yes, this is my account',
      },
      current: 'Current password',
      new: 'New password',
      wasAsked:
        'If there is an account with this address, an email is on its way. Its link works for one hour.',
      wasReset: 'Your password has been changed. Sign in with the new one.',
      wasChanged: 'Your password has been changed.',
      linkIsOver: 'This link has been used or has expired. Ask for another one.',
      toConsole: 'To the console',
      wrongCurrent: 'This is not your current password. Try again.',
      back: 'To the events',
    },
    confirm: {
      offer: (email: string) =>
        `${email} is not confirmed yet. Places for members and for invited people open to confirmed addresses.`,
      send: 'Send me a link',
      sent: (email: string) =>
        `An email is on its way to ${email}. Open its link on this device, then choose these places again.`,
      isConfirmed: 'Your email address is confirmed. Places for members and invited people open to it now.',
      about: (email: string | null) =>
        email === null
          ? 'Sign in to the account that the email is about, to confirm that it is yours.'
          : `You are signed in as ${email}. Confirm that this account is yours.`,
      notMine:
        'If you did not make this account, choose a password instead: it becomes yours alone, and everyone else is signed out of it.',
      otherAccount: 'This link is for another account. Sign out, and sign in to that one.',
    },
    checkout: checkoutEn,
    pay: payEn,
    order: orderEn,
    notFound: {
      title: 'We can’t find this page',
      organization: 'There is no organizer with this short name. Check the link you were given.',
      event: 'This event does not exist, or no longer exists.',
      page: 'There is nothing at this address. Check the link.',
      home: 'To the front page',
    },
  }
}

export type Words = ReturnType<typeof en>
