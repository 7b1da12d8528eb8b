-- One name, however it is spelled: letter case, compatibility forms (NFKC), and Cyrillic or Greek letters that look
-- like Latin ones. Accounts that had the same name under this rule keep it in the order of their age; the later ones
-- get their id appended.
CREATE FUNCTION user_name_key(name text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN translate(
    lower(normalize(name, NFKC)),
    'асԁеһіјоԛрѕԝхуӏαινορυκτ',
    'acdehijoqpswxylaivopukt'
  );

UPDATE users AS later
   SET username = left(later.username, 50) || '_' || later.id
 WHERE EXISTS (
   SELECT 1 FROM users AS earlier
    WHERE earlier.id < later.id AND user_name_key(earlier.username) = user_name_key(later.username)
 );

CREATE UNIQUE INDEX "users_name_key" ON "users" (user_name_key("username"));
