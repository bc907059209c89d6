-- All that the extension's objects are, one a line, for a comparison of two
-- installations: identities and comments, functions, aggregates, views, columns.
SET search_path = pg_catalog;
CREATE TEMP VIEW members AS
	SELECT classid, objid, objsubid FROM pg_depend
	WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpuagg');

SELECT pg_describe_object(classid, objid, objsubid) || ': ' || obj_description(objid, classid::regclass::name)
FROM members ORDER BY 1;

SELECT to_jsonb(p) - '{oid,proowner,pronamespace,prosupport,proacl,proargdefaults}'::text[]
	|| jsonb_build_object('support', prosupport::regproc, 'acl', proacl::text, 'arguments', pg_get_function_arguments(oid))
FROM pg_proc p JOIN members ON objid = oid AND classid = 'pg_proc'::regclass ORDER BY oid::regprocedure::text;

SELECT aggfnoid::regprocedure, to_jsonb(a) - '{aggfnoid}'::text[]
FROM pg_aggregate a JOIN members ON objid = aggfnoid::oid AND classid = 'pg_proc'::regclass
ORDER BY aggfnoid::regprocedure::text;

SELECT oid::regclass, relkind, relacl::text, pg_get_viewdef(oid)
FROM pg_class JOIN members ON objid = oid AND classid = 'pg_class'::regclass ORDER BY oid::regclass::text;

SELECT attrelid::regclass, attnum, attname, atttypid::regtype, attacl::text
FROM pg_attribute JOIN members ON objid = attrelid AND classid = 'pg_class'::regclass
WHERE attnum > 0 ORDER BY attrelid::regclass::text, attnum;

SELECT pg_describe_object(i.classoid, i.objoid, i.objsubid), privtype, initprivs::text
FROM pg_init_privs i JOIN members ON objid = objoid AND classid = classoid ORDER BY 1;
