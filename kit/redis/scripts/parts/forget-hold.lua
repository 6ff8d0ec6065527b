-- Purpose: part of other scripts. Removes what is kept of one hold that has ended. The key of its seat goes
--   only if it is still that hold's: the seat may have its next hold already.
-- Takes: the hold's id, its seat ('' for places), the key of seat_holds, and the place of its meta key in
--   KEYS, which the seat's key follows.
-- Returns: the place of the next key in KEYS.
local function forget_hold(hold, seat, seat_holds, key)
  redis.call('ZREM', seat_holds, hold)
  redis.call('UNLINK', KEYS[key])
  if seat == '' then return key + 1 end
  local start = '{"hold_id":"' .. hold .. '"'
  local value = redis.pcall('GET', KEYS[key + 1])
  if type(value) == 'table' or (value and string.sub(value, 1, #start) == start) then
    redis.call('UNLINK', KEYS[key + 1])
  end
  return key + 2
end
