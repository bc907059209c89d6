-- All that the extension's objects are, one a line, for a comparison of two
-- installations: identities and comments, functions, aggregates, types, casts,
-- operators and their classes, views, columns.  OIDs differ, so names stand for
-- them.
SET search_path = pg_catalog;
CREATE TEMP VIEW members AS
	SELECT classid, objid, objsubid FROM pg_depend
	WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpuagg');

SELECT pg_describe_object(classid, objid, objsubid) || ': ' || obj_description(objid, classid::regclass::name)
FROM members ORDER BY 1;

SELECT to_jsonb(p) - '{oid,proowner,pronamespace,prosupport,proacl,proargdefaults,prorettype,proargtypes,proallargtypes}'::text[]
	|| jsonb_build_object('support', prosupport::regproc, 'acl', proacl::text, 'arguments', pg_get_function_arguments(oid),
		'result', pg_get_function_result(oid))
FROM pg_proc p JOIN members ON objid = oid AND classid = 'pg_proc'::regclass ORDER BY oid::regprocedure::text;

SELECT aggfnoid::regprocedure, to_jsonb(a) - '{aggfnoid,aggtranstype,aggmtranstype}'::text[]
	|| jsonb_build_object('state', aggtranstype::regtype, 'moving_state', aggmtranstype::regtype)
FROM pg_aggregate a JOIN members ON objid = aggfnoid::oid AND classid = 'pg_proc'::regclass
ORDER BY aggfnoid::regprocedure::text;

SELECT oid::regtype, typlen, typbyval, typtype, typcategory, typispreferred, typdelim, typalign, typstorage, typcollation,
	typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typsubscript, typacl::text
FROM pg_type JOIN members ON objid = oid AND classid = 'pg_type'::regclass ORDER BY oid::regtype::text;

SELECT castsource::regtype, casttarget::regtype, castfunc::regprocedure, castcontext, castmethod
FROM pg_cast JOIN members ON objid = oid AND classid = 'pg_cast'::regclass
ORDER BY castsource::regtype::text, casttarget::regtype::text;

SELECT oid::regoperator, oprcanmerge, oprcanhash, oprcom::regoperator, oprnegate::regoperator, oprcode, oprrest, oprjoin
FROM pg_operator JOIN members ON objid = oid AND classid = 'pg_operator'::regclass ORDER BY oid::regoperator::text;

SELECT amname, opcname, opcintype::regtype, opcdefault,
	(SELECT string_agg(concat_ws(' ', amopstrategy, amopopr::regoperator), ', ' ORDER BY amopstrategy)
		FROM pg_amop WHERE amopfamily = opcfamily),
	(SELECT string_agg(concat_ws(' ', amprocnum, amproc), ', ' ORDER BY amprocnum) FROM pg_amproc WHERE amprocfamily = opcfamily)
FROM pg_opclass c JOIN members ON objid = c.oid AND classid = 'pg_opclass'::regclass JOIN pg_am a ON a.oid = opcmethod
ORDER BY 1, 2;

SELECT oid::regclass, relkind, relacl::text, pg_get_viewdef(oid)
FROM pg_class JOIN members ON objid = oid AND classid = 'pg_class'::regclass ORDER BY oid::regclass::text;

SELECT attrelid::regclass, attnum, attname, atttypid::regtype, attacl::text
FROM pg_attribute JOIN members ON objid = attrelid AND classid = 'pg_class'::regclass
WHERE attnum > 0 ORDER BY attrelid::regclass::text, attnum;

SELECT pg_describe_object(i.classoid, i.objoid, i.objsubid), privtype, initprivs::text
FROM pg_init_privs i JOIN members ON objid = objoid AND classid = classoid ORDER BY 1;
